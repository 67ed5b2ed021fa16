import { climate } from './climate.ts';
import type { Dialogue } from './dialogue.ts';
import { safety } from './safety.ts';
import { water } from './water.ts';
import { works } from './works.ts';

/** Every case once, the trades taking turns. */
export const dialogues: readonly Dialogue[] = water.flatMap((dialogue, n) =>
  [dialogue, climate[n], safety[n], works[n]].filter((other) => other !== undefined),
);
