import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { siteOf } from '../fixtures/sites.ts';

/** Writes a file for `import`, with this number of sites of the partner Acme, and their clients and projects. */
export function writeSites(path: string, count: number): Promise<void> {
  return pipeline(Readable.from(rows(count)), createWriteStream(path));
}

function* rows(count: number): Generator<string> {
  for (let number = 0; number < count; number += 1) {
    const { clients, projects } = siteOf(number, 'clients,projects');
    const row = { partner: 'acme', kind: 'site', site: siteOf(number, ''), clients, projects };
    yield `${JSON.stringify(row)}\n`;
  }
}
