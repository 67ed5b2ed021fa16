import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { apiKey, postOperation, startBoth } from '../../support/gateway.ts';
import { makeFolder, writeManifest } from '../../support/manifest.ts';
import { programPath, startProcess } from '../../support/process.ts';

const otherKey = 'other-key-0123456789abcdef';
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12);

const portico = async (args: string[], env: Record<string, string> = {}) =>
  (await startProcess('main.ts', env, ['usage', ...args])).exit();

/** Logs of a gateway that three clients used with two keys; one holds nothing but the document of `Page`. */
async function writeLogs() {
  const { path: manifest } = await writeManifest({
    a: 'query Trusted { site(id: "SITE-2") { cppExpDate } }',
  });
  const { gateway } = await startBoth({ CACHE_TTL_MS: '60000', TRUSTED_DOCUMENTS: manifest });
  const page = 'query Page { site(id: "SITE-1") { ...F } } fragment F on Site { cppExpDate }';
  const query = 'query A { site(id: "SITE-1") { cppExpDate } } query B { site(id: "SITE-1") { city } }';
  const web = { headers: { 'apollographql-client-name': 'web' } };
  const app = { key: otherKey, headers: { 'x-client-name': 'app' } };
  for (let n = 0; n < 3; n += 1) await postOperation(gateway.url, page, web);
  for (const operationName of ['A', 'B', 'B'])
    await postOperation(gateway.url, { query, operationName }, app);
  await postOperation(gateway.url, '{ nothing }', app);
  await postOperation(gateway.url, { documentId: 'a' });
  await gateway.logged('operation', 8);
  await gateway.logged('document', 3);
  const isOfPage = (line: string) => line.includes('"event":"document"') && line.includes('"Page"');
  const rest = gateway.written.filter((line) => !isOfPage(line));
  const folder = await makeFolder();
  const [log, documents] = [join(folder, 'portico.log'), join(folder, 'documents.log')];
  // The operations come before their documents.
  await writeFile(
    log,
    ['no JSON\n', '{"a":1}\n', '\n', `${'x'.repeat(200_000)}\n`, ...rest.reverse()].join(''),
  );
  await writeFile(documents, gateway.written.filter(isOfPage).join(''));
  return { log, documents, env: { TRUSTED_DOCUMENTS: manifest } };
}

it('counts who selects a field and who spends the REST calls, in the logs of three clients', async () => {
  const { log, documents, env } = await writeLogs();
  const json = async (args: string[]) => {
    const { code, stdout, stderr } = await portico([...args, '--json'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const field = ['--field', 'Site.cppExpDate'];
  const clients = [
    { client: 'web', operations: 3 },
    { client: '(none)', operations: 1 },
    { client: 'app', operations: 1 },
  ];
  expect(await json([log, documents, ...field, '--by', 'client'])).toEqual({
    ...{ by: 'client', field: 'Site.cppExpDate', entries: clients, unknown: 0, skipped: 3 },
  });
  expect(await json([log, '--by', 'key'])).toEqual({
    by: 'key',
    entries: [
      { key: digestOf(apiKey), calls: 2, operations: 4 },
      { key: digestOf(otherKey), calls: 1, operations: 4 },
    ],
    skipped: 3,
  });
  // Without the document of `Page`, on standard input, as a table.
  const args = [programPath('main.ts'), 'usage', '-', ...field];
  const input = await readFile(log);
  const { stdout } = spawnSync(process.execPath, args, { input, encoding: 'utf8', env });
  expect(stdout.trimEnd().split('\n')).toEqual([
    'operation  operations',
    'A          1',
    'Trusted    1',
    'unknown: 3 (operations whose fields are not in the logs)',
    'skipped: 3 (lines that no gateway wrote)',
  ]);
});

it('exits with 1 where a log cannot be read, and with 2 where the schema has no such field', async () => {
  const missing = join(await makeFolder(), 'missing.log');
  expect(await portico([missing, 'key-0123456789'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${missing}: cannot be read: ENOENT\nLOG 2: cannot be read: ENOENT\n`,
  });
  expect(await portico([missing, '--field', 'Site.nothing'])).toEqual({
    code: 2,
    stdout: '',
    stderr: '--field requires a field of the schema, such as Site.city\n',
  });
});
