import fc from 'fast-check';
import { drawSeed } from './scale.ts';

/** Properties draw new cases in each run, if no seed is set. */
if (drawSeed !== undefined) fc.configureGlobal({ seed: drawSeed });
