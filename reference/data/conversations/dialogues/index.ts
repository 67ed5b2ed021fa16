import { climate } from './climate.ts';
import type { Dialogue } from './dialogue.ts';
import { safety } from './safety.ts';
import { water } from './water.ts';
import { works } from './works.ts';

/** All cases, the trades alternating. */
export const dialogues: readonly Dialogue[] = water.flatMap((dialogue, n) =>
  [dialogue, climate[n], safety[n], works[n]].filter((other) => other !== undefined),
);
