/** Sizes of JSON texts in bytes of UTF-8, computed before the text is built. */

/** Whether the JSON text of a value is larger than `maxBytes`. For most values the lengths of their strings decide. */
export function isJsonLarger(value: unknown, maxBytes: number): boolean {
  const { least, slack } = walk(value, maxBytes, (text, size) => {
    // A code unit is one byte at least; three as it is, and six as an escape.
    size.least += text.length + 2;
    size.slack += 5 * text.length;
  });
  if (least > maxBytes) return true;
  return least + slack > maxBytes && jsonBytes(value, maxBytes) > maxBytes;
}

/** The size of the JSON text of a value; where that is over `maxBytes`, any number over it. */
export function jsonBytes(value: unknown, maxBytes: number): number {
  return walk(value, maxBytes, (text, size) => {
    // A string that is too long already is not escaped to find out by how much.
    size.least += text.length > maxBytes ? text.length : Buffer.byteLength(JSON.stringify(text));
  }).least;
}

/** Bytes of a JSON text: at least, and how many more its strings may take. */
interface Size {
  least: number;
  slack: number;
}

type AddText = (text: string, size: Size) => void;

/** A value with fewer elements is measured again where it recurs: that costs less than to remember it. */
const minRemembered = 64;

/** Is on the stack below the elements of a value: the size of the value is what they add. */
class Measurement {
  readonly value: object;
  readonly before: Size;

  constructor(value: object, { least, slack }: Size) {
    this.value = value;
    this.before = { least, slack };
  }
}

/**
 * Adds up the bytes of all that `JSON.stringify` writes, until they are over `maxBytes`. A stack in place of recursion: JSON
 * from the REST API may be nested without end. A large value that recurs (`health { body }` under many aliases) is
 * measured once.
 */
function walk(root: unknown, maxBytes: number, addText: AddText): Size {
  const size: Size = { least: 0, slack: 0 };
  const stack: unknown[] = [root];
  const known = new Map<object, Size>();
  while (stack.length > 0 && size.least <= maxBytes) {
    const value = stack.pop();
    if (typeof value === 'string') addText(value, size);
    else if (typeof value !== 'object' || value === null) size.least += lengthOfLiteral(value);
    else if (value instanceof Measurement) known.set(value.value, difference(size, value.before));
    else addObject(value, known.get(value), size, stack, addText);
  }
  return size;
}

function difference(size: Size, before: Size): Size {
  return { least: size.least - before.least, slack: size.slack - before.slack };
}

function lengthOfLiteral(value: unknown): number {
  if (value === undefined || typeof value === 'function') return 0;
  return typeof value === 'number' && !Number.isFinite(value) ? 4 : String(value).length;
}

/** Adds an object without its elements, which go to the stack; one of known size as a whole. */
function addObject(value: object, known: Size | undefined, size: Size, stack: unknown[], addText: AddText) {
  if (known) {
    size.least += known.least;
    size.slack += known.slack;
  } else if ('toJSON' in value && typeof value.toJSON === 'function') stack.push(value.toJSON());
  else if (Array.isArray(value)) addArray(value, size, stack);
  else addFields(value as Record<string, unknown>, size, stack, addText);
}

function addArray(value: readonly unknown[], size: Size, stack: unknown[]): void {
  if (value.length >= minRemembered) stack.push(new Measurement(value, size));
  for (const element of value) stack.push(element === undefined ? null : element);
  // Brackets, and commas between the elements.
  size.least += 2 + Math.max(value.length - 1, 0);
}

function addFields(value: Record<string, unknown>, size: Size, stack: unknown[], addText: AddText): void {
  const names = Object.keys(value);
  if (names.length >= minRemembered) stack.push(new Measurement(value, size));
  let fields = 0;
  for (const name of names) {
    if (value[name] === undefined) continue;
    stack.push(value[name]);
    addText(name, size);
    fields += 1;
  }
  // Braces, a colon for each field, and commas between them.
  size.least += 2 + fields + Math.max(fields - 1, 0);
}
