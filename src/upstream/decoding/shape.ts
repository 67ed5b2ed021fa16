/**
 * Readers of untrusted JSON. A reader turns one JSON value into one field of a resource; what does not fit the
 * contract becomes `null` (or leaves its list) and is reported to `drift` by the field's name, so that one wrong
 * value never costs the others.
 */
export type Drift = (field: string) => void;
export interface Reader<T> {
  (value: unknown, field: string, drift: Drift): T | null;
  /** The fields below this one that may be reported to `drift`. */
  readonly fields?: readonly string[];
}
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

/**
 * A list whose elements `element` reads; elements that do not fit are dropped.
 *
 * Lists and objects are read in place: the JSON was parsed for this reader alone, and a copy of it would cost as much as
 * the reading. What does not fit is replaced in it, and what no reader names stays where nobody looks.
 */
export function list<T>(element: Reader<T>): Reader<T[]> {
  const read: Reader<T[]> = (value, field, drift) => {
    if (!Array.isArray(value)) return misfit(value, field, drift);
    let kept = 0;
    for (const raw of value) {
      const item = element(raw ?? null, field, drift);
      if (item === null) continue;
      if (value[kept] !== item) value[kept] = item;
      kept += 1;
    }
    if (kept < value.length) value.length = kept;
    return value;
  };
  return Object.assign(read, { fields: element.fields ?? [] });
}

/** An object of the named type. */
export function object<T extends object>(
  type: string,
  fields: { readonly [K in keyof Required<T>]: Reader<Exclude<T[K], null | undefined>> },
): Reader<T> {
  const readFields = fieldsReader(type, fields);
  const read: Reader<T> = (value, field, drift) => {
    // The mapped type of `fields` names every key of T with a reader of that key's type.
    return isObject(value) ? (readFields(value, drift) as T) : misfit(value, field, drift);
  };
  const below = Object.entries<Reader<unknown>>(fields).flatMap(([name, reader]) => [
    `${type}.${name}`,
    ...(reader.fields ?? []),
  ]);
  return Object.assign(read, { fields: below });
}

/**
 * For each field in turn `value = read0(json.id, 'Site.id', drift); if (value !== json.id) json.id = value`, as a
 * function. A loop over names would look each of them up in both objects, which costs several times the reading: every
 * answer is read whole. No text but this code's own goes into it.
 */
function fieldsReader(type: string, fields: Record<string, Reader<unknown>>) {
  const names = Object.keys(fields);
  const steps = names.map(
    (name, n) =>
      `value = read${n}(json.${name}, '${type}.${name}', drift); if (value !== json.${name}) json.${name} = value;`,
  );
  const readers = names.map((_, n) => `read${n}`);
  const text = `([${readers}]) => (json, drift) => { let value; ${steps.join(' ')} return json; }`;
  const make: (readers: Reader<unknown>[]) => (json: Json, drift: Drift) => Json = new Function(
    `return ${text}`,
  )();
  return make(Object.values(fields));
}
