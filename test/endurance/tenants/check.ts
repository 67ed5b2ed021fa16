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

/** What in a response belongs to another key or another request; and how many stamps are right. */
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
      if (isObject(one) && one.id !== ids[n]) flaws.push(`requested ${ids[n]}, received ${one.id}`);
      readBelow(one);
    });
  }

  /** The texts of one object come from one REST response, for the `id` of the object where it has one. */
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
      if (stamp?.key !== key) flaws.push(`${key} receives ${text}`);
      else if (id !== undefined && stamp.id !== id) flaws.push(`${id} receives ${text}`);
      else stamps += 1;
      if (stamp) nonces.add(stamp.nonce);
    }
    if (nonces.size > 1) flaws.push(`one object from ${nonces.size} REST responses: ${texts}`);
    for (const inner of Object.values(value)) readBelow(inner);
  }
}

function flawOfError(
  { message, extensions: { code } }: { message: string; extensions: { code: string } },
  key: string,
) {
  if (!allowedCodes.includes(code)) return `${code}: ${message}`;
  if (code === 'RATE_LIMITED' && !limitedKeys.has(key))
    return `${key} is refused for the rate limit of another key`;
  // The upstream sends the requested site: another site means the response to another call.
  if (message.includes('another site')) return `${key}: ${message}`;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
