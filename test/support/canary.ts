import { expect } from 'vitest';

/** Shorter keys stand in a text by chance. */
const shortestKey = 9;

/** How a secret would stand in a text: as it is, in a URL, and in base64 wherever in the encoded text it begins. */
export function tracesOf(secret: string): string[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const wholeTriples = Buffer.from(secret.slice(offset, secret.length - ((secret.length - offset) % 3)));
    return [wholeTriples.toString('base64'), wholeTriples.toString('base64url')];
  });
  return [...new Set([secret, encodeURIComponent(secret), ...encoded])];
}

/** The keys that were sent to each server, by its origin: what it writes later must not hold them either. */
const sent = new Map<string, Set<string>>();

/** Notes the keys that go to `url`, and has each of its answers checked for them. */
export function plantKeys(url: string, ...values: (string | null | undefined)[]) {
  const keys = values.filter((key) => key != null && key.length >= shortestKey) as string[];
  const { origin } = new URL(url);
  sent.set(origin, new Set([...(sent.get(origin) ?? []), ...keys]));
  return { expectAbsent: (output: string) => expectNone(keys, output) };
}

/** Of all keys that were sent to `origins`, none is in what the server wrote. */
export function expectNoSentKey(output: string, origins: Iterable<string>): void {
  expectNone(
    [...origins].flatMap((origin) => [...(sent.get(origin) ?? [])]),
    output,
  );
}

function expectNone(keys: readonly string[], output: string): void {
  const leaked = [...new Set(keys)].filter((key) => tracesOf(key).some((trace) => output.includes(trace)));
  expect(leaked, `keys that were sent are repeated: ${output}`).toEqual([]);
}
