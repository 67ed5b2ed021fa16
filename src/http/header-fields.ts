import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { Config } from '../config.ts';
import { corsFields } from './cors.ts';

type Fields = Record<string, string>;

/** The fields of every response, also of one to malformed HTTP: no caching, type sniffing, framing or embedding. */
export const constantFields: Fields = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // GraphiQL replaces it by a policy that allows its own assets.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

const noFields: Fields = {};

/** Creates a function that returns the further fields of a response, whatever its status. Most have none. */
export function createFields({ corsOrigins, trustedProxies }: Config['edge']) {
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) trusted.addSubnet(address, prefix, family);

  /** Whether the client used TLS. Only a trusted proxy can say so: this server itself speaks plain HTTP. */
  function usesTls({ headers, socket: { remoteAddress } }: IncomingMessage): boolean {
    return (
      headers['x-forwarded-proto'] === 'https' &&
      remoteAddress !== undefined &&
      trusted.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')
    );
  }

  return (req: IncomingMessage): Fields => {
    const isTls = usesTls(req);
    if (!isTls && corsOrigins.length === 0) return noFields;
    return {
      ...corsFields(req.headers.origin, corsOrigins),
      ...(isTls && { 'strict-transport-security': 'max-age=31536000' }),
    };
  };
}
