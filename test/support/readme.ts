import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The requests that the README shows, for a gateway at `origin`. */
export function readmeRequests(origin: string): string[] {
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  return [...readme.matchAll(/^curl .+$/gm)].map(([line]) => line.replace('http://127.0.0.1:4000', origin));
}
