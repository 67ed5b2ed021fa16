/** A copy that lacks one field. */
export function without<T extends object>(item: T, field: keyof T): T {
  // Every field that the demo leaves out is optional in the contract, which the tests hold it to.
  const { [field]: _, ...rest } = item;
  return rest as T;
}

/** Copies of the items, the n-th lacking the n-th field: with as many items as fields, each field is missed once. */
export function eachWithout<T extends object>(items: readonly T[], fields: readonly (keyof T)[]): T[] {
  return items.map((item, n) => {
    const field = fields[n];
    return field === undefined ? item : without(item, field);
  });
}
