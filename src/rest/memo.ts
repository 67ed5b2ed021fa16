/** A function that reads a value once for each object; further arguments count at the first call alone. */
export function memoized<K extends WeakKey, A extends unknown[], V>(
  read: (key: K, ...more: A) => V,
): (key: K, ...more: A) => V {
  const values = new WeakMap<K, V>();
  return (key, ...more) => {
    const known = values.get(key);
    if (known !== undefined || values.has(key)) return known as V;
    const value = read(key, ...more);
    values.set(key, value);
    return value;
  };
}

/** A function that reads a value anew if its key is not the latest one: most requests have the same. */
export function latestOf<K extends string | number, V>(read: (key: K) => V): (key: K) => V {
  let latest: { key: K; value: V } | undefined;
  return (key) => {
    if (latest?.key !== key) latest = { key, value: read(key) };
    return latest.value;
  };
}
