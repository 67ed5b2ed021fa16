import { execFile } from 'node:child_process';
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTrustedFile, type TrustedDocuments } from '../../../src/features/trusted/documents.ts';
import { composition } from '../../../src/features.ts';
import { createGateway } from '../../../src/gateway.ts';
import { noLogger } from '../../../src/logger.ts';
import {
  apiKey,
  openGateway,
  postQuery,
  startBoth,
  startGateway,
  testConfig,
} from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { createLines } from '../../support/lines.ts';
import { makeFolder, writeManifest } from '../../support/manifest.ts';

const run = promisify(execFile);

const one = { a: '{ a }' };
const schemaOnly = { a: '{ __typename }' };
const two = { a: '{ a }', b: '{ b }' };
const again = (count: number) => new RegExp(`^TRUSTED_DOCUMENTS read again; in force: ${count}$`);

/** Reads the file and polls it a hundred times a second; a document with a field `bad` is invalid. */
async function start(path: string) {
  const documents: TrustedDocuments = { current: new Map() };
  const { lines, log, messageMatching } = createLines();
  const file = await startTrustedFile({
    path,
    documents,
    validate: (document) => (document.loc?.source.body.includes('bad') ? [new Error('bad') as never] : []),
    log,
    everyMs: 10,
  });
  onTestFinished(file.close);
  return { lines, messageMatching, ids: () => [...documents.current.keys()], documents };
}

describe('is reloaded', () => {
  it('when it is overwritten with the same number of bytes', async () => {
    const { path } = await writeManifest(one);
    const { messageMatching, documents } = await start(path);
    await writeFile(path, JSON.stringify({ a: '{ z }' }));
    await messageMatching(again(1));
    expect(documents.current.get('a')?.text).toBe('{ z }');
  });

  it('when a link in its path changes, as in a ConfigMap', async () => {
    const mount = await makeFolder();
    for (const [folder, manifest] of [
      ['..1', one],
      ['..2', two],
    ] as const) {
      await mkdir(join(mount, folder));
      await writeFile(join(mount, folder, 'documents.json'), JSON.stringify(manifest));
    }
    await symlink('..1', join(mount, '..data'));
    await symlink('..data/documents.json', join(mount, 'documents.json'));
    const { messageMatching, ids } = await start(join(mount, 'documents.json'));
    await symlink('..2', join(mount, '..data_tmp'));
    await rename(join(mount, '..data_tmp'), join(mount, '..data'));
    await messageMatching(again(2));
    expect(ids()).toEqual(['a', 'b']);
  });
});

const source = pathToFileURL(resolve('src/features/trusted/documents.ts'));

/** Runs the lines in a process of their own, which may open at most 64 files and must exit without a signal. */
async function runAlone(path: string, lines: string) {
  const script = `
    import { openSync, closeSync, writeFileSync } from 'node:fs';
    import { startTrustedFile } from '${source}';
    const path = ${JSON.stringify(path)};
    const documents = { current: new Map() };
    const options = { path, documents, validate: () => [], log: console.log, everyMs: 10 };
    ${lines}
  `;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
  return (await run('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...node])).stdout.split('\n').slice(0, -1);
}

it('keeps no process running', async () => {
  const { path } = await writeManifest(one);
  const lines = 'await startTrustedFile(options); console.log(documents.current.size);';
  expect(await runAlone(path, lines)).toEqual(['1']);
});

it('is read again without a change when it could not be opened', async () => {
  const { path } = await writeManifest(one);
  const logged = await runAlone(
    path,
    `let onLine;
    const nextLine = () => new Promise((resolve) => { onLine = resolve; });
    const log = (line) => { console.log(line); onLine(); };
    const { close } = await startTrustedFile({ ...options, log });
    const running = setInterval(() => {}, 1_000);
    const unreadable = nextLine();
    writeFileSync(path, ${JSON.stringify(JSON.stringify(two))});
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    await unreadable;
    const readable = nextLine();
    open.forEach((file) => closeSync(file));
    await readable;
    clearInterval(running);
    await close();`,
  );
  expect(logged).toEqual([
    expect.stringMatching(/^TRUSTED_DOCUMENTS cannot be read: EMFILE: .*; in force as before: 1$/),
    'TRUSTED_DOCUMENTS read again; in force: 2',
  ]);
});

describe('keeps the current documents, and logs that once,', () => {
  it.each<[string, string | undefined, RegExp]>([
    ['half written', '{"a":"{ canary }","b":', /^TRUSTED_DOCUMENTS is not JSON; in force as before: 1$/],
    [
      'invalid',
      '{"b":"{ bad }","c":"{ bad }","d":"{ d }"}',
      /^TRUSTED_DOCUMENTS has a fault in "b": bad \(and 1 more\); in force as before: 1$/,
    ],
    ['gone', undefined, /^TRUSTED_DOCUMENTS cannot be read: ENOENT.*; in force as before: 1$/],
  ])('while the file is %s', async (_, text, message) => {
    const { path, replace } = await writeManifest(one);
    const { lines, messageMatching, ids } = await start(path);
    if (text === undefined) await rm(path);
    else {
      await writeFile(`${path}.next`, text);
      await rename(`${path}.next`, path);
    }
    expect(await messageMatching(/./)).toMatch(message);
    expect(ids()).toEqual(['a']);
    await replace(two);
    await messageMatching(again(2));
    expect(ids()).toEqual(['a', 'b']);
    expect(lines).toHaveLength(2);
  });
});

describe('does not start with', () => {
  it('a device that never ends', async () => {
    await expect(start('/dev/zero')).rejects.toThrow('TRUSTED_DOCUMENTS must be a file');
  });

  it('a file that is too large', async () => {
    const { path } = await writeManifest(one);
    await truncate(path, 16_777_217);
    await expect(start(path)).rejects.toThrow('TRUSTED_DOCUMENTS must be no larger than 16777216 bytes');
  });

  it('bytes that are not UTF-8', async () => {
    const { path } = await writeManifest(one);
    await writeFile(path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    await expect(start(path)).rejects.toThrow(/^TRUSTED_DOCUMENTS cannot be read: .*encoded data/);
  });

  it('invalid documents, of which it names ten', async () => {
    const { path } = await writeManifest(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`n${n}`, '{ bad }'])),
    );
    const names = Array.from({ length: 10 }, (_, n) => `TRUSTED_DOCUMENTS has a fault in "n${n}": bad`);
    await expect(start(path)).rejects.toThrow(
      new Error([...names, 'TRUSTED_DOCUMENTS has 2 more faults'].join('\n')),
    );
  });
});

it('executes the new document of an id that was requested before', async () => {
  const site = (id: string) => `{ site(id: "${id}") { id } }`;
  const { path, replace } = await writeManifest({ a: site('SITE-1'), b: site('SITE-2') });
  const env = { TRUSTED_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: 'on' };
  const { upstream, gateway } = await startBoth(env);
  const postId = async (documentId: string) => (await postForParts(gateway.url, { documentId })).parts[0];
  await postId('a');
  await postId('b');
  await replace({ a: site('SITE-3') });
  await gateway.messageMatching(again(1));
  const responses = [await postId('a'), await postId('b')];
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-3']);
  expect(responses).toMatchObject([
    { data: { site: { id: 'SITE-3' } } },
    { errors: [{ message: 'No document has this id.' }] },
  ]);
  expect(await postQuery(gateway.url, site('SITE-1'))).toMatchObject({ status: 400 });
});

it('is not polled by a gateway that is closed or could not start', async () => {
  const { path, replace } = await writeManifest(schemaOnly);
  const gateway = await startGateway('http://127.0.0.1:9', { TRUSTED_DOCUMENTS: path });
  const { lines, log } = createLines();
  const late = createGateway({
    composition,
    config: testConfig({ TRUSTED_DOCUMENTS: path, PORT: new URL(gateway.origin).port }),
    upstreamUrl: new URL('http://127.0.0.1:9'),
    example: { apiKey, siteId: '', conversationId: '' },
    observers: [{ logger: { ...noLogger, warn: (line: unknown) => log(String(line)) } }],
  });
  await expect(late.start()).rejects.toThrow('EADDRINUSE');
  const closed = await openGateway('http://127.0.0.1:9', { TRUSTED_DOCUMENTS: path });
  await closed.close();
  // They would have polled the file between the two lines.
  for (const manifest of [{}, schemaOnly]) {
    const before = gateway.lines.length;
    await replace(manifest);
    await gateway.messageMatching(/./, before);
  }
  expect(gateway.lines).toHaveLength(2);
  expect([...lines, ...closed.lines]).toEqual([]);
});
