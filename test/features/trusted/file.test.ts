import { truncate, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startTrustedFile, type TrustedDocuments } from '../../../src/features/trusted/documents.ts';
import { writeManifest } from '../../support/manifest.ts';

/** Reads the file; a document with a field `bad` is invalid. */
async function start(path: string) {
  const documents: TrustedDocuments = { current: new Map() };
  await startTrustedFile(path, documents, (document) =>
    document.loc?.source.body.includes('bad') ? [new Error('bad') as never] : [],
  );
  return [...documents.current.keys()];
}

describe('does not start with', () => {
  it('a device that never ends', async () => {
    await expect(start('/dev/zero')).rejects.toThrow('TRUSTED_DOCUMENTS must be a file');
  });

  it('no file', async () => {
    await expect(start('/no/file')).rejects.toThrow(/^TRUSTED_DOCUMENTS cannot be read: ENOENT/);
  });

  it('a file that is too large', async () => {
    const { path } = await writeManifest({ a: '{ a }' });
    await truncate(path, 16_777_217);
    await expect(start(path)).rejects.toThrow('TRUSTED_DOCUMENTS must be no larger than 16777216 bytes');
  });

  it('bytes that are not UTF-8', async () => {
    const { path } = await writeManifest({ a: '{ a }' });
    await writeFile(path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    await expect(start(path)).rejects.toThrow(/^TRUSTED_DOCUMENTS cannot be read: .*encoded data/);
  });

  it('invalid documents, of which it names ten', async () => {
    const bad = Array.from({ length: 12 }, (_, n) => [`n${n}`, '{ bad }']);
    const { path } = await writeManifest(Object.fromEntries(bad));
    const names = Array.from({ length: 10 }, (_, n) => `TRUSTED_DOCUMENTS has a fault in "n${n}": bad`);
    await expect(start(path)).rejects.toThrow(
      new Error([...names, 'TRUSTED_DOCUMENTS has 2 more faults'].join('\n')),
    );
  });
});

it('reads the documents by their ids', async () => {
  const { path } = await writeManifest({ a: '{ a }', b: '{ b }' });
  expect(await start(path)).toEqual(['a', 'b']);
});
