/** Whether one of `texts` has one of `keys` in it, as it is or escaped within a JSON string. */
export function containsKey(texts: readonly string[], keys: readonly string[]): boolean {
  const forms = keys.filter((key) => key !== '').flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]);
  return forms.some((form) => texts.some((text) => text.includes(form)));
}
