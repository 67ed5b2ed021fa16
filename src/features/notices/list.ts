/** An item of a structured list (RFC 9651), with the parameters of the rate limit fields; null: it has none. */
interface Item {
  readonly name: string;
  q: number | null;
  r: number | null;
  t: number | null;
  w: number | null;
}

/** A longer field is malformed, and one with more items. */
const MAX_FIELD_CHARACTERS = 1000;
const MAX_ITEMS = 10;

const text = '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"';
const token = "[A-Za-z*][\\w!#$%&'*+.^`|~:/-]*";
const value = `(?:-?\\d{1,15}(?:\\.\\d{1,3})?|${text}|${token}|\\?[01]|:[\\w+/=]*:)`;
const key = '[a-z*][a-z0-9_.*-]*';
const item = new RegExp(`[ \\t]*(${text}|${token})((?:; *${key}(?:=${value})?)*)[ \\t]*(?:,|$)`, 'y');
/** One item with its rest and its time, as nearly every field: the full grammar takes ten times as long. */
const usual = /^("[\w-]*");r=(\d{1,15});t=(\d{1,15})$/;
const parameter = new RegExp(`; *(${key})(?:=(${value}))?`, 'g');

/** Null for a list that is malformed, whose numbers are not whole, or with an item without `required`. */
export function itemsOf(field: string, required: 'q' | 'r'): readonly Item[] | null {
  if (field.length > MAX_FIELD_CHARACTERS) return null;
  const [, only, r, t] = (required === 'r' && usual.exec(field)) || [];
  if (only !== undefined) return [{ name: only, q: null, r: Number(r), t: Number(t), w: null }];
  const items: Item[] = [];
  item.lastIndex = 0;
  do {
    const [, name, parameters = ''] = item.exec(field) ?? [];
    const one = name === undefined || items.length === MAX_ITEMS ? null : itemFrom(name, parameters);
    if (!one || one[required] === null) return null;
    items.push(one);
  } while (field[item.lastIndex - 1] === ',');
  return items;
}

function itemFrom(name: string, parameters: string): Item | null {
  const one: Item = { name, q: null, r: null, t: null, w: null };
  parameter.lastIndex = 0;
  for (let match = parameter.exec(parameters); match; match = parameter.exec(parameters)) {
    const [, key, value = ''] = match;
    if (key !== 'q' && key !== 'r' && key !== 't' && key !== 'w') continue;
    if (!/^\d+$/.test(value)) return null;
    one[key] = Number(value);
  }
  return one;
}
