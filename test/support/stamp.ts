/** What the upstream writes into every field of an answer: which answer it is, and to whom about what. */
export interface Stamp {
  nonce: number;
  key: string;
  /** The site or conversation that was asked for. */
  id: string;
}

export function textOf({ nonce, key, id }: Stamp): string {
  return `${nonce} ${key} ${id}`;
}

/** Undefined for a text that is no stamp. Keys hold no blanks, ids may. */
export function stampFrom(text: string): Stamp | undefined {
  const [, nonce, key = '', id = ''] = /^(\d+) (\S+) (.+)$/s.exec(text) ?? [];
  return nonce === undefined ? undefined : { nonce: Number(nonce), key, id };
}
