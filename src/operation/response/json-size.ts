/** Sizes of JSON texts in bytes of UTF-8, computed before the text is built. */

/** Whether the JSON text of a value is larger than `maxBytes`. For most values the lengths of their strings decide. */
export function isJsonLarger(value: unknown, maxBytes: number): boolean {
  let atMostMore = 0;
  const least = walk(value, maxBytes, (text) => {
    // A code unit is one byte at least; three as it is, and six as an escape.
    atMostMore += 5 * text.length;
    return text.length + 2;
  });
  if (least > maxBytes) return true;
  return least + atMostMore > maxBytes && jsonBytes(value, maxBytes) > maxBytes;
}

/** The size of the JSON text of a value; where that is over `maxBytes`, any number over it. */
export function jsonBytes(value: unknown, maxBytes: number): number {
  // A string that is too long already is not escaped to find out by how much.
  return walk(value, maxBytes, (text) =>
    text.length > maxBytes ? text.length : Buffer.byteLength(JSON.stringify(text)),
  );
}

/**
 * Adds up the bytes of all that `JSON.stringify` writes, those of strings by `bytesOf`, until they are over `maxBytes`. A
 * stack in place of recursion: JSON from the REST API may be nested without end.
 */
function walk(root: unknown, maxBytes: number, bytesOf: (text: string) => number): number {
  const stack: unknown[] = [root];
  let bytes = 0;
  while (stack.length > 0 && bytes <= maxBytes) {
    const value = stack.pop();
    bytes += typeof value === 'string' ? bytesOf(value) : enter(value, stack, bytesOf);
  }
  return bytes;
}

/** The bytes of a value without its elements, which go to the stack. */
function enter(value: unknown, stack: unknown[], bytesOf: (text: string) => number): number {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)?.length ?? 0;
  if (Array.isArray(value)) {
    for (const element of value) stack.push(element === undefined ? null : element);
    return 2 + Math.max(value.length - 1, 0);
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    stack.push(value.toJSON());
    return 0;
  }
  let bytes = 2;
  for (const name of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[name];
    if (field === undefined) continue;
    stack.push(field);
    // A colon, and a comma after the first field.
    bytes += bytesOf(name) + (bytes === 2 ? 1 : 2);
  }
  return bytes;
}
