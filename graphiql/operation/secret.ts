/** Whether one of `texts` has one of `keys` in it, as it is or escaped for JSON, JavaScript, GraphQL or a shell. */
export function containsKey(texts: readonly string[], keys: readonly string[]): boolean {
  const plain = texts.map(plainText);
  return keys.map(plainText).some((key) => key !== '' && plain.some((text) => text.includes(key)));
}

const ESCAPED = /\\(?:u([\da-f]{4})|u\{0{0,8}([\da-f]{1,4})\}|x([\da-f]{2}))/gi;

/** The text with the characters that are escaped by number, and without what escapes others. */
function plainText(text: string): string {
  return text
    .replace(ESCAPED, (_, ...codes) => String.fromCharCode(Number.parseInt(codes.slice(0, 3).join(''), 16)))
    .replace(/[\\'"`]/g, '');
}
