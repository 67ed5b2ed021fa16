import { isIP } from 'node:net';
import proxyaddr from 'proxy-addr';
import type { z } from 'zod';
import { listOf, wholeNumber } from './kinds.ts';

/** What the HTTP server bears, and whom it believes. */
export interface Edge {
  maxConnections: number;
  requestTimeoutMs: number;
  /** Response bytes that clients have not taken yet, of all connections together. */
  maxUnreadBytes: number;
  keepAliveMs: number;
  maxHeaderBytes: number;
  /** `*`, or origins as browsers send them. */
  corsOrigins: string[];
  /** Addresses, CIDR blocks and names of blocks. */
  trustedProxies: string[];
}

export const edgeSettings = {
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000).describe('How many connections callers may hold'),
  REQUEST_TIMEOUT_MS: wholeNumber(1, 3_600_000, 10_000).describe(
    'How long a request may take to arrive (later: 408), and how long a caller may take no byte of his answer',
  ),
  // Several of the largest responses, and with them well below the heap of the deployment, 768 MB.
  MAX_UNREAD_BYTES: wholeNumber(65_536, 17_179_869_184, 67_108_864).describe(
    'How many bytes of responses may wait to be read, over all connections; beyond it the slowest readers are disconnected and new operations get 503',
  ),
  // Load balancers keep idle connections for about 60 s. Closed here first, one could be closing as they send on it.
  KEEP_ALIVE_MS: wholeNumber(1, 3_600_000, 65_000).describe(
    'How long an idle connection is kept; longer than a load balancer in front keeps it',
  ),
  MAX_HEADER_BYTES: wholeNumber(1024, 1_048_576, 16_384).describe(
    'How large the head of a request may be: its first line and header fields',
  ),
  CORS_ORIGINS: listOf(
    (text) => text === '*' || isOrigin(text),
    'must be *, or origins as browsers send them, separated by commas: https://app.example.com',
  ).describe(
    'Origins whose pages may ask, separated by commas, or `*` for those of anybody; unset: none but its own',
  ),
  TRUST_PROXY: listOf(
    isNetwork,
    'must be addresses, CIDR blocks, loopback, linklocal or uniquelocal, separated by commas',
  ).describe(
    'Proxies whose `X-Forwarded-Proto` is believed: addresses, CIDR blocks, `loopback`, `linklocal`, `uniquelocal`; unset: nobody',
  ),
};

/** The settings above, once they are read. */
export function edgeFrom(data: z.output<z.ZodObject<typeof edgeSettings>>): Edge {
  return {
    maxConnections: data.MAX_CONNECTIONS,
    requestTimeoutMs: data.REQUEST_TIMEOUT_MS,
    maxUnreadBytes: data.MAX_UNREAD_BYTES,
    keepAliveMs: data.KEEP_ALIVE_MS,
    maxHeaderBytes: data.MAX_HEADER_BYTES,
    corsOrigins: data.CORS_ORIGINS,
    trustedProxies: data.TRUST_PROXY,
  };
}

/** Scheme, host and port in the one form that `Origin` has; `null`, which any sandboxed page sends, is none. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** The library also reads `10` and `0x0a000001` as addresses: nobody means them. */
function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/', 1);
  if (isIP(address) === 0 && !['loopback', 'linklocal', 'uniquelocal'].includes(text)) return false;
  try {
    proxyaddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
