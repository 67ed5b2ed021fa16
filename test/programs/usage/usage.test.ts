import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { runCommand } from '../../support/command.ts';
import { apiKey, postOperation, startBoth } from '../../support/gateway.ts';
import { makeFolder, writeManifest } from '../../support/manifest.ts';
import { programPath } from '../../support/process.ts';

const otherKey = 'other-key-0123456789abcdef';
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 12);

const portico = (args: string[], env: Record<string, string> = {}) => runCommand(['usage', ...args], { env });

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

const lines = [
  { event: 'operation', operation: null, document: 'd0', outcome: 'ok', upstream: { network: 1 }, key: null },
  { event: 'document', document: 'd0', operation: null, fields: ['Site.city'] },
  { event: 'operation', operation: null, document: 'd0', outcome: 'ok', upstream: { network: 2 }, key: null },
  { event: 'operation', operation: 'P', document: 'd1', outcome: 'ok', plan: true, upstream: {}, key: null },
].map(
  (line) => `${JSON.stringify({ level: 'info', time: '2026-11-23T08:41:50.825Z', ...line, msg: 'a {' })}\r\n`,
);

async function writeLog(text: string) {
  const path = join(await makeFolder(), 'portico.log');
  await writeFile(path, text);
  return path;
}

it.each<[string, string[], string]>([
  [
    'no plan, and a log that is named twice once',
    [],
    'operation    calls  operations\n(anonymous)  3      2\n',
  ],
  ['the operations of a field', ['--field', 'Site.city'], 'operation    operations\n(anonymous)  2\n'],
  ['a field that no operation selects', ['--field', 'Site.zip'], 'no operation selects Site.zip\n'],
])('counts %s', async (_, args, expected) => {
  const path = await writeLog(lines.join(''));
  expect(await portico([path, path, ...args])).toEqual({ code: 0, stdout: expected, stderr: '' });
});

it('says that there is no operation in a log of plans', async () => {
  expect((await portico([await writeLog(lines.at(-1) ?? '')])).stdout).toBe(
    'there is no operation in the logs\n',
  );
});

it('reads what sed and zcat make of a log', async () => {
  const path = await writeLog('');
  await writeFile(`${path}.gz`, gzipSync(lines.map((line) => `gateway-1  | ${line}`).join('')));
  const program = `${process.execPath} ${programPath('main.ts')}`;
  const recipe = "zcat -f portico.log.gz | sed 's/^[^{]*//' | npx --no-install portico usage -";
  const command = recipe.replace('portico.log.gz', `${path}.gz`).replace('npx --no-install portico', program);
  const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(stdout).toBe('operation    calls  operations\n(anonymous)  3      2\n');
});

it('prints faults in place of numbers', async () => {
  const log = await writeLog(lines.join(''));
  const other = await writeLog('listening\n{"level":30,"time":1}\n');
  const missing = join(await makeFolder(), 'missing.log');
  const rows: [args: string[], code: number, stderr: string][] = [
    [[other], 1, "no line of the logs is a gateway's\n"],
    [
      [log, missing, 'key-0123456789'],
      1,
      `${missing}: cannot be read: ENOENT\nLOG 3: cannot be read: ENOENT\n`,
    ],
    [[log, '--field', 'Site.nothing'], 1, '--field requires a field of the schema, such as Site.city\n'],
  ];
  for (const [args, code, stderr] of rows) expect(await portico(args)).toEqual({ code, stdout: '', stderr });
  // A log that has just been rotated may be empty.
  expect(await portico([log, await writeLog('')])).toMatchObject({ code: 0 });
});
