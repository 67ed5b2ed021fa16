import { readFileSync } from 'node:fs';
import { inProject } from '../contenders/places.ts';
import type { Results } from '../rounds/results.ts';
import { resultsFile, writePage } from './write.ts';

// The page again, from the results that are there.
writePage(JSON.parse(readFileSync(resultsFile, 'utf8')) as Results, inProject('docs'));
