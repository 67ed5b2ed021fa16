/**
 * Readers of untrusted JSON. A reader turns one JSON value into one field of a resource; what does not fit the
 * contract becomes `null` (or leaves its list) and is reported to `drift` by the field's name, so that one wrong
 * value never costs the others.
 */
export type Drift = (field: string) => void;
export type Reader<T> = (value: unknown, field: string, drift: Drift) => T | null;
type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Absent is within the contract, for all but a few fields are optional; any other misfit is drift. */
function misfit(value: unknown, field: string, drift: Drift): null {
  if (value !== undefined) drift(field);
  return null;
}

export const string: Reader<string> = (value, field, drift) =>
  typeof value === 'string' ? value : misfit(value, field, drift);

/** JSON knows no infinity, but 1e999 parses to one. */
export const number: Reader<number> = (value, field, drift) =>
  typeof value === 'number' && Number.isFinite(value) ? value : misfit(value, field, drift);

export const boolean: Reader<boolean> = (value, field, drift) =>
  typeof value === 'boolean' ? value : misfit(value, field, drift);

/** A string that the contract requires but allows to be null: here absence is the drift. */
export const requiredString: Reader<string> = (value, field, drift) => {
  if (typeof value !== 'string' && value !== null) drift(field);
  return typeof value === 'string' ? value : null;
};

/** A list whose elements `element` reads; elements that do not fit are dropped. */
export function list<T>(element: Reader<T>): Reader<T[]> {
  return (value, field, drift) => {
    if (!Array.isArray(value)) return misfit(value, field, drift);
    const items: T[] = [];
    for (const raw of value) {
      const item = element(raw ?? null, field, drift);
      if (item !== null) items.push(item);
    }
    return items;
  };
}

/** An object of the named type; fields that `fields` does not name are ignored. */
export function object<T extends object>(
  type: string,
  fields: { readonly [K in keyof Required<T>]: Reader<Exclude<T[K], null | undefined>> },
): Reader<T> {
  const readers = Object.entries<Reader<unknown>>(fields).map(
    ([name, read]) => [name, `${type}.${name}`, read] as const,
  );
  // A copy of an object that has all its fields is made in one go; one that gets them in turn is made over and over.
  const blank: Json = Object.fromEntries(readers.map(([name]) => [name, null]));
  return (value, field, drift) => {
    if (!isObject(value)) return misfit(value, field, drift);
    const result: Json = { ...blank };
    for (const [name, path, read] of readers) result[name] = read(value[name], path, drift);
    // The mapped type of `fields` names every key of T with a reader of that key's type.
    return result as T;
  };
}
