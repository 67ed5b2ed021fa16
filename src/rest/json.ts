import { isUtf8 } from 'node:buffer';
import { UpstreamInvalidResponse } from './errors.ts';

/** Gets the name of a field whose value violates the contract: it is null, or removed from its list. */
export type Drift = (field: string) => void;

export interface Reader<T> {
  (value: unknown, field: string, drift: Drift): T | null;
  /** True if an absent value is drift; else it stays absent. */
  readonly isRequired?: boolean;
  /** True for an object whose properties are all of their types: it stays as it is. */
  readonly isUsual?: (value: Record<string, unknown>) => boolean;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For a body whose drift was counted before, or is of no interest. */
export const uncounted: Drift = () => {};

/** A small body is a slice of a larger block, which it would retain. */
export function ownCopy(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}

/** Skips a byte order mark. @throws UpstreamInvalidResponse if it is not UTF-8 (RFC 8259, 8.1) */
export function textOf(body: Buffer): string {
  // Faster than a fatal TextDecoder, which says nothing more.
  if (!isUtf8(body)) throw new UpstreamInvalidResponse('it is not UTF-8');
  const text = body.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** An empty object takes fifty bytes of memory; a response of the gateway has at most a tenth of these values. */
const MAX_VALUES = 1_000_000;

/** Undefined for a text that is not JSON. @throws UpstreamInvalidResponse for one that would take much memory */
export function parse(text: string): unknown {
  // A value takes two characters, with the comma or the brackets around it.
  if (text.length > 2 * MAX_VALUES && valuesIn(text) > MAX_VALUES)
    throw new UpstreamInvalidResponse(`it has more than ${MAX_VALUES} values`);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An estimate by the brackets and commas of a text. Those in strings count too: a text has few of them. */
function valuesIn(text: string): number {
  return countOf(text, '[') + countOf(text, '{') + countOf(text, ',');
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

function invalid(field: string, drift: Drift): null {
  drift(field);
  return null;
}

/** True for a list of objects that stay as they are. */
export function areUsual(values: unknown, { isUsual }: Reader<unknown>): boolean {
  if (!Array.isArray(values)) return false;
  for (const value of values) if (!isObject(value) || !isUsual?.(value)) return false;
  return true;
}

export function areStrings(...values: readonly unknown[]): boolean {
  for (const value of values) if (typeof value !== 'string') return false;
  return true;
}

export const string: Reader<string> = (value, field, drift) =>
  typeof value === 'string' ? value : invalid(field, drift);
export const boolean: Reader<boolean> = (value, field, drift) =>
  typeof value === 'boolean' ? value : invalid(field, drift);
/** JSON has no infinity, but 1e999 parses to one. */
export const number: Reader<number> = (value, field, drift) =>
  Number.isFinite(value) ? (value as number) : invalid(field, drift);

/** A string that the contract requires but allows to be null. */
export const requiredString: Reader<string> = Object.assign(
  ((value, field, drift) => (value === null ? null : string(value, field, drift))) as Reader<string>,
  { isRequired: true },
);

/** Drops invalid elements. Lists and objects are read in place: a copy would cost as much as reading. */
export function list<T>(element: Reader<T>): Reader<T[]> {
  return (value, field, drift) => {
    if (!Array.isArray(value)) return invalid(field, drift);
    let length = 0;
    for (const raw of value) {
      const item = element(raw, field, drift);
      if (item === null) continue;
      value[length] = item;
      length += 1;
    }
    if (length < value.length) value.length = length;
    return value;
  };
}

/** `isUsual` may be false for a usual object: with the names in its code it takes a fifth of the time of a loop. */
export function object<F extends Record<string, Reader<unknown>>>(
  type: string,
  readers: F,
  isUsual: (value: Record<keyof F, unknown>) => boolean = () => false,
) {
  const all = Object.entries(readers).map(([name, reader]) => ({ name, path: `${type}.${name}`, reader }));
  const read: Reader<unknown> = (value, field, drift) => {
    if (!isObject(value)) return invalid(field, drift);
    if (isUsual(value as Record<keyof F, unknown>)) return value;
    for (const { name, path, reader } of all) {
      const sent = value[name];
      if (sent === undefined && !reader.isRequired) continue;
      const result = reader(sent, path, drift);
      if (result !== sent) value[name] = result;
    }
    return value;
  };
  // Each property has the value that its reader returned.
  return Object.assign(read, { isUsual }) as Reader<{ [K in keyof F]?: ReturnType<F[K]> }>;
}
