import { readFileSync } from 'node:fs';
import type { Results } from '../measure/results.ts';
import { resultsFile, writePage } from './write.ts';

// Writes the page from the results of the last full run.
writePage(JSON.parse(readFileSync(resultsFile, 'utf8')) as Results);
