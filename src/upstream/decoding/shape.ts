/**
 * Readers of untrusted JSON. A reader turns one JSON value into one field of a resource. A value that violates the
 * contract becomes `null` (or is removed from its list) and is reported to `drift` by the name of the field; the others
 * are not affected.
 */
export type Drift = (field: string) => void;
export interface Reader<T> {
  (value: unknown, field: string, drift: Drift): T | null;
  /** The fields below this one that may be reported to `drift`. */
  readonly fields?: readonly string[];
  /** Of a list: the reader of its elements. */
  readonly element?: Reader<unknown>;
  /** Of an object. */
  readonly properties?: readonly Property[];
}

/** A property of an object, the name by which it is reported, and the reader of its values. */
export interface Property {
  name: string;
  field: string;
  reader: Reader<unknown>;
}
type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An absent field is within the contract, where most are optional; any other wrong value is drift. */
function invalid(value: unknown, field: string, drift: Drift): null {
  if (value !== undefined) drift(field);
  return null;
}

export const string: Reader<string> = (value, field, drift) =>
  typeof value === 'string' ? value : invalid(value, field, drift);

/** JSON has no infinity, but 1e999 parses to one. */
export const number: Reader<number> = (value, field, drift) =>
  typeof value === 'number' && Number.isFinite(value) ? value : invalid(value, field, drift);

export const boolean: Reader<boolean> = (value, field, drift) =>
  typeof value === 'boolean' ? value : invalid(value, field, drift);

/** A string that the contract requires but allows to be null: its absence is drift. */
export const requiredString: Reader<string> = (value, field, drift) => {
  if (typeof value !== 'string' && value !== null) drift(field);
  return typeof value === 'string' ? value : null;
};

/**
 * A list whose elements `element` reads; invalid elements are dropped.
 *
 * Lists and objects are read in place: the JSON was parsed for this reader alone, and a copy would cost as much as reading
 * it. Unknown fields stay in the object and are never read.
 */
export function list<T>(element: Reader<T>): Reader<T[]> {
  const read: Reader<T[]> = (value, field, drift) => {
    if (!Array.isArray(value)) return invalid(value, field, drift);
    let length = 0;
    for (const raw of value) {
      const item = element(raw ?? null, field, drift);
      if (item === null) continue;
      if (value[length] !== item) value[length] = item;
      length += 1;
    }
    if (length < value.length) value.length = length;
    return value;
  };
  return Object.assign(read, { element, fields: element.fields ?? [] });
}

/** An object of the named type. */
export function object<F extends Record<string, Reader<unknown>>>(
  type: string,
  fields: F,
): Reader<{ [K in keyof F]: ReturnType<F[K]> }> {
  const readFields = fieldsReader(type, fields);
  type Read = Reader<{ [K in keyof F]: ReturnType<F[K]> }>;
  // `readFields` has set every field to what its reader returns.
  const read = ((value, field, drift) =>
    isObject(value) ? readFields(value, drift) : invalid(value, field, drift)) as Read;
  const below = Object.entries(fields).flatMap(([name, reader]) => [
    `${type}.${name}`,
    ...(reader.fields ?? []),
  ]);
  return Object.assign(read, { properties: propertiesOf(type, fields), fields: below });
}

export function propertiesOf(type: string, readers: Record<string, Reader<unknown>>): readonly Property[] {
  return Object.entries(readers).map(([name, reader]) => ({ name, field: `${type}.${name}`, reader }));
}

/** Adds to `changed` the fields in which two values of a property differ, of all that its reader reads. */
export function compare(property: Property, a: unknown, b: unknown, changed: Set<string>): void {
  if (a === b) return;
  const { element, properties } = property.reader;
  if (element && Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    const ofElement = { ...property, reader: element };
    for (let n = 0; n < a.length; n += 1) compare(ofElement, a[n], b[n], changed);
  } else if (properties && isObject(a) && isObject(b)) {
    for (const one of properties) compare(one, a[one.name], b[one.name], changed);
  } else changed.add(property.field);
}

/**
 * For each field in turn `value = read0(json.id, 'Site.id', drift); if (value !== json.id) json.id = value`, as a
 * generated function: a loop over the names would look each of them up in both objects, at several times the cost. Only
 * names from this code go into its text.
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
