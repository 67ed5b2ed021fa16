import { expect } from 'vitest';

/** Shorter keys occur in a text by chance. */
const shortestKey = 9;

/** The forms of a secret in a text: plain, in a URL, and in base64 at each of the three offsets. */
export function tracesOf(secret: string): string[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const wholeTriples = Buffer.from(secret.slice(offset, secret.length - ((secret.length - offset) % 3)));
    return [wholeTriples.toString('base64'), wholeTriples.toString('base64url')];
  });
  return [...new Set([secret, encodeURIComponent(secret), ...encoded])];
}

/** Nine consecutive characters are enough to identify a key. */
export function leaksOf(key: string, text: string): string[] {
  const windows = Array.from({ length: key.length - 8 }, (_, n) => key.slice(n, n + 9));
  return windows.filter((part) => tracesOf(part).some((trace) => text.includes(trace)));
}

/** The keys that were sent to each server, by its origin: its later output must not contain them either. */
const sent = new Map<string, Set<string>>();

/** Records the keys that are sent to `url`; `expectAbsent` checks a response for them. */
export function plantKeys(url: string, ...values: (string | null | undefined)[]) {
  const keys = values.filter((key) => key != null && key.length >= shortestKey) as string[];
  const { origin } = new URL(url);
  sent.set(origin, new Set([...(sent.get(origin) ?? []), ...keys]));
  return { expectAbsent: (output: string) => expectNone(keys, output) };
}

/** Expects that the output of a server contains none of the keys that were sent to `origins`. */
export function expectNoSentKey(output: string, origins: Iterable<string>): void {
  expectNone(
    [...origins].flatMap((origin) => [...(sent.get(origin) ?? [])]),
    output,
  );
}

function expectNone(keys: readonly string[], output: string): void {
  const leaked = [...new Set(keys)].filter((key) => tracesOf(key).some((trace) => output.includes(trace)));
  expect(leaked, `keys that were sent are in the output: ${output}`).toEqual([]);
}
