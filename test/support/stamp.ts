/** What the upstream writes into every field of a response: its number, the key of the request and the resource. */
export interface Stamp {
  nonce: number;
  key: string;
  /** The requested site or conversation. */
  id: string;
}

export function textOf({ nonce, key, id }: Stamp): string {
  return `${nonce} ${key} ${id}`;
}

/** Undefined for other texts. Ids may contain blanks, keys do not. */
export function stampFrom(text: string): Stamp | undefined {
  const [, nonce, key = '', id = ''] = /^(\d+) (\S+) (.+)$/s.exec(text) ?? [];
  return nonce === undefined ? undefined : { nonce: Number(nonce), key, id };
}
