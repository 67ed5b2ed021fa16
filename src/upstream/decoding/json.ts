/** Undefined for a body that is not JSON. */
export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** JSON that can be serialized again: null for what is nested deeper than 100 levels, which may be too deep for that. */
export function serializable(json: unknown): unknown {
  return nestsAtMost(json, 100) ? (json ?? null) : null;
}

function nestsAtMost(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(inner, levels - 1));
}
