import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { Config } from '../config.ts';
import { corsFields } from './cors.ts';

type Fields = Record<string, string>;

/** What every answer says, one that is written without a request too: nobody stores, guesses, frames or embeds it. */
export const constantFields: Fields = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // GraphiQL replaces it by one that lets its own assets run.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};

const nothing: Fields = {};

/** What every answer to a request says besides, whatever comes of it: nothing, for most. */
export function createFields({ corsOrigins, trustedProxies }: Config['edge']) {
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) trusted.addSubnet(address, prefix, family);

  /** Only a proxy that is trusted can say so: this server itself speaks plain HTTP. */
  function cameOverTls({ headers, socket: { remoteAddress } }: IncomingMessage): boolean {
    return (
      headers['x-forwarded-proto'] === 'https' &&
      remoteAddress !== undefined &&
      trusted.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')
    );
  }

  return (req: IncomingMessage): Fields => {
    const isTls = cameOverTls(req);
    if (!isTls && corsOrigins.length === 0) return nothing;
    return {
      ...corsFields(req.headers.origin, corsOrigins),
      ...(isTls && { 'strict-transport-security': 'max-age=31536000' }),
    };
  };
}
