import { isIP } from 'node:net';
import type { Values } from '../../config/declaration.ts';
import { listOf } from '../../config/kinds.ts';

export const browserSettings = {
  CORS_ORIGINS: listOf(
    (text) => text === '*' || isOrigin(text),
    'must be *, or origins as browsers send them, separated by commas: https://app.example.com',
  ).describe('Origins of web pages that may send requests, separated by commas; `*`: any; unset: none'),
  TRUST_PROXY: listOf(
    (text) => subnetsFrom(text).length > 0,
    'must be addresses, CIDR blocks, loopback, linklocal or uniquelocal, separated by commas',
  )
    .transform((elements) => elements.flatMap(subnetsFrom))
    .describe(
      'Proxies whose `X-Forwarded-Proto` is trusted: addresses, CIDR blocks, `loopback`, `linklocal`, `uniquelocal`, separated by commas; unset: none',
    ),
};

/** Of `corsOrigins`, `*` is any. */
export type BrowserOptions = ReturnType<typeof browserConfig>;

export function browserConfig(values: Values<typeof browserSettings>) {
  return { corsOrigins: values.CORS_ORIGINS, trustedProxies: values.TRUST_PROXY };
}

/** Whether it is an `Origin` as browsers send it; `null`, which any sandboxed page sends, is none. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const namedSubnets: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The blocks of `net.BlockList` that an address, a CIDR block or a name stands for; none where it is none of these. */
function subnetsFrom(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' }[] {
  if (Object.hasOwn(namedSubnets, text)) return namedSubnets[text]?.flatMap(subnetsFrom) ?? [];
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  if (version === 0 || rest.length > 0 || prefix < 1 || prefix > bits) return [];
  return [{ address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' }];
}
