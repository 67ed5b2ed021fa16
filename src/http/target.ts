import type { IncomingMessage } from 'node:http';

const absolute = /^https?:\/\/([^/?#]*)([^#]*)$/i;

/**
 * Rewrites a request target in absolute form to the origin form, and replaces the Host field by its host (RFC 9112, 3.2.2).
 * Any other target is unchanged.
 */
export function toOriginForm(req: IncomingMessage): void {
  const { url = '', headers } = req;
  // Most requests have the origin form.
  if (url.charCodeAt(0) === slash) return;
  const [, authority, path = ''] = absolute.exec(url) ?? [];
  if (authority === undefined) return;
  req.url = path.startsWith('/') ? path : `/${path}`;
  // An absent or invalid Host field is rejected with any form of target (RFC 9112, 3.2).
  if (isHost(headers.host)) headers.host = authority;
}

const slash = 0x2f;

/** The longest name of a host (RFC 1035, 2.3.4), a colon, and a port. */
const maxHostLength = 261;

/** `uri-host [ ":" port ]` (RFC 9110, 7.2): the GraphQL server builds a URL from it. */
export function isHost(host: string | undefined): boolean {
  if (host === undefined || host.length > maxHostLength) return false;
  if (host === latestHost) return true;
  const isOne = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`);
  if (isOne) latestHost = host;
  return isOne;
}

/** The last valid host: most requests have the same. */
let latestHost: string | undefined;
