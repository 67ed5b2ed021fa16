import { stampFrom } from '../../support/stamp.ts';
import type { Operation } from './operations.ts';
import { limitedKeys } from './population.ts';

export interface ReadPart {
  data?: unknown;
  incremental?: ReadPart[];
  path?: (string | number)[];
  errors?: { message: string; extensions: { code: string } }[];
  extensions?: { upstream?: { calls: { source: string }[] } };
}

const allowedCodes = [
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
  'RATE_LIMITED',
];

/** What in the parts of an answer is not this key's, or not what it asked for; and how many stamps were right. */
export function judge(parts: readonly ReadPart[], key: string, { ids }: Operation) {
  const flaws: string[] = [];
  let stamps = 0;
  for (const part of parts.flatMap((whole) => [whole, ...(whole.incremental ?? [])])) {
    flaws.push(...(part.errors ?? []).flatMap((error) => flawOfError(error, key) ?? []));
    if (part.path) readBelow(part.data);
    else readRoot(part.data);
  }
  return { flaws, stamps };

  function readRoot(data: unknown): void {
    const found = isObject(data) ? data.found : null;
    const each = Array.isArray(found) ? found : [found];
    each.forEach((one, n) => {
      if (isObject(one) && one.id !== ids[n]) flaws.push(`${ids[n]} is asked for, ${one.id} came`);
      readBelow(one);
    });
  }

  /** An object's own texts are of one answer, about the id beside them where there is one. */
  function readBelow(value: unknown): void {
    if (Array.isArray(value)) value.forEach(readBelow);
    if (!isObject(value)) return;
    const id = 'city' in value || 'subject' in value ? value.id : undefined;
    const texts = Object.entries(value).flatMap(([name, text]) =>
      (typeof text === 'string' && (name !== 'id' || id === undefined)) || isTexts(text) ? [text].flat() : [],
    );
    const nonces = new Set<number>();
    for (const text of texts) {
      const stamp = stampFrom(text);
      if (stamp?.key !== key) flaws.push(`${key} gets ${text}`);
      else if (id !== undefined && stamp.id !== id) flaws.push(`${id} gets ${text}`);
      else stamps += 1;
      if (stamp) nonces.add(stamp.nonce);
    }
    if (nonces.size > 1) flaws.push(`one object of ${nonces.size} answers: ${texts}`);
    for (const inner of Object.values(value)) readBelow(inner);
  }
}

function flawOfError(
  { message, extensions: { code } }: { message: string; extensions: { code: string } },
  key: string,
) {
  if (!allowedCodes.includes(code)) return `${code}: ${message}`;
  if (code === 'RATE_LIMITED' && !limitedKeys.has(key)) return `${key} pays for another's rate limit`;
  // The upstream names what it was asked for: only another call's answer can be of another site.
  if (message.includes('another site')) return `${key}: ${message}`;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
