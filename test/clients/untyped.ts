/** A result without the type names that clients select in addition. */
export function untyped(data: unknown): unknown {
  const text = JSON.stringify(data ?? null, (name, value) => (name === '__typename' ? undefined : value));
  return JSON.parse(text);
}
