import { writePage } from './write.ts';

// Writes the page from the results of the last full runs.
writePage();
