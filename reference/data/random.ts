export interface Random {
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A version 4 UUID. */
  uuid(): string;
}

/** A pseudorandom generator: the same seed gives the same numbers everywhere (FNV-1a into mulberry32). */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);

  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));

  return {
    int,
    chance: (probability) => next() < probability,
    pick(list) {
      for (const item of list.slice(int(0, list.length - 1))) return item;
      throw new RangeError('nothing to pick from');
    },
    uuid() {
      const shape = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';
      return shape.replace(/[xy]/g, (mark) => (mark === 'x' ? int(0, 15) : int(8, 11)).toString(16));
    },
  };
}
