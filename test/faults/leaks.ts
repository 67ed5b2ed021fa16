import { homedir, hostname, tmpdir } from 'node:os';
import { expect } from 'vitest';
import { leaksOf } from '../support/canary.ts';
import { faultyKey, otherKey, type Posted } from './test-setup.ts';

/** Part of every body of a misbehaving upstream. */
export const canary = 'c4nary in the upstream body';

/** Internals: stacks, file names, addresses, messages of libraries. */
export const inside = [
  /\bat [^"\n]+:\d+:\d+/,
  /\bnode_modules\b/,
  /\bnode:\w/,
  /\.[cm]?[jt]s\b/,
  /\bundici\b|UND_ERR/,
  /\bE[A-Z]{4,}\b/,
  /\d{1,3}(\.\d{1,3}){3}|\[::[\da-f:.]*\]|\blocalhost\b/,
];

/** Neither the response nor the log contains internals, an upstream body or a key. */
export function expectNoLeak(
  { text, headers }: Pick<Posted, 'text' | 'headers'>,
  { upstream, gateway }: { upstream: { url: string }; gateway: { lines: string[] } },
): void {
  const output = [text, ...[...headers].map((field) => field.join(': '))].join('\n');
  for (const pattern of inside) expect(output).not.toMatch(pattern);
  const { host, port } = new URL(upstream.url);
  const folders = [process.cwd(), homedir(), tmpdir()].filter((folder) => folder.length > 1);
  const words = [host, port && `:${port}`, hostname(), canary, ...folders].filter((word) => word !== '');
  for (const word of words) expect(output).not.toContain(word);
  const all = [output, ...gateway.lines].join('\n');
  expect([faultyKey, otherKey].flatMap((key) => leaksOf(key, all))).toEqual([]);
  expect(headers.get('cache-control')).toBe('no-store');
}
