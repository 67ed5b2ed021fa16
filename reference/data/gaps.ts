/** A copy without one field. */
export function without<T extends object>(item: T, field: keyof T): T {
  // Optional in the contract, which the tests verify.
  const { [field]: _, ...rest } = item;
  return rest as T;
}

/** Copies of the items, the n-th without the n-th field. */
export function eachWithout<T extends object>(items: readonly T[], fields: readonly (keyof T)[]): T[] {
  return items.map((item, n) => {
    const field = fields[n];
    return field === undefined ? item : without(item, field);
  });
}
