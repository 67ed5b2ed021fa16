/** The id of a message by its number, counted from 1 in the order of the conversation: messages have no id of their own. */
export const messageAnchor = (number: number) => `m-${number}`;

/** The number in such an id; undefined in any other text. */
export function messageNumberFrom(fragment: string): number | undefined {
  const [, digits] = /^m-([1-9]\d{0,8})$/.exec(fragment) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
