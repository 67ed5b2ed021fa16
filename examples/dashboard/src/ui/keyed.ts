/** Gives each item a key that is its own, also where two have the same name or none: not every object has an id. */
export function keyed<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | null | undefined,
): { key: string; item: Item; index: number }[] {
  const seen = new Map<string, number>();
  return items.map((item, index) => {
    const name = nameOf(item) ?? '';
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { key: `${name} ${count}`, item, index };
  });
}
