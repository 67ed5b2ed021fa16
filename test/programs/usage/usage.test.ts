import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { composition } from '../../../src/features.ts';
import { countUsage } from '../../../src/programs/usage/usage.ts';
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
].map((line) => JSON.stringify({ level: 'info', time: '2026-11-23T08:41:50.825Z', ...line, msg: 'a {' }));
const plain = lines.map((line) => `${line}\r\n`).join('');
it('reads the lines of a log, and what sed and zcat make of others', async () => {
  const path = join(await makeFolder(), 'portico.log');
  await writeFile(path, plain);
  for (const [field, entry] of [
    [undefined, { operation: '(anonymous)', calls: 3, operations: 2 }],
    ['Site.city', { operation: '(anonymous)', operations: 2 }],
  ] as const) {
    const given = { by: 'operation' as const, logs: [path], isJson: true, field };
    const { lines: printed, faults } = await countUsage(given, composition);
    expect(faults).toEqual([]);
    expect(JSON.parse(printed.join(''))).toMatchObject({ entries: [entry] });
  }
  await writeFile(`${path}.gz`, gzipSync(lines.map((line) => `gateway-1  | ${line}\n`).join('')));
  const program = `${process.execPath} ${programPath('main.ts')}`;
  const recipe = "zcat -f portico.log.gz | sed 's/^[^{]*//' | npx --no-install portico usage -";
  const command = recipe.replace('portico.log.gz', `${path}.gz`).replace('npx --no-install portico', program);
  const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(stdout).toBe('operation    calls  operations\n(anonymous)  3      2\n');
});

it('exits with 1 and no numbers where no line of a log is a gateway’s', async () => {
  const folder = await makeFolder();
  const path = (name: string) => join(folder, name);
  await writeFile(path('own.log'), plain);
  await writeFile(path('other.log'), 'listening\n{"level":30,"time":1}\n{"log":"{}"}\n');
  await writeFile(path('empty.log'), '');
  const field = ['--field', 'Site.city'];
  const failed = (stderr: string) => ({ code: 1, stdout: '', stderr: `${stderr}\n` });
  const reason = "no line is a gateway's";
  expect(await portico([path('own.log'), path('other.log'), ...field])).toEqual(
    failed(`${path('other.log')}: ${reason}`),
  );
  expect(await portico([path('empty.log')])).toEqual(failed("no line of the logs is a gateway's"));
  // A log that has just been rotated.
  expect(await portico([path('own.log'), path('empty.log'), ...field])).toMatchObject({ code: 0 });
});

it('counts no plans, and says so where there is nothing else', async () => {
  const { gateway } = await startBoth();
  const query = 'query P { site(id: "SITE-1") { city } }';
  const plan = { headers: { 'x-explain': 'plan' } };
  for (let n = 0; n < 3; n += 1) await postOperation(gateway.url, query, plan);
  const planned = await gateway.logged('operation', 3);
  expect(planned.map((line) => line.plan)).toEqual([true, true, true]);
  const path = join(await makeFolder(), 'portico.log');
  const usage = async (...args: string[]) => {
    await writeFile(path, gateway.written.join(''));
    return (await portico([path, ...args])).stdout;
  };
  for (const args of [[], ['--field', 'Site.city']])
    expect(await usage(...args)).toBe('there is no operation in the logs\n');
  await postOperation(gateway.url, query);
  await gateway.logged('document');
  expect(await usage('--field', 'Site.city')).toBe('operation  operations\nP          1\n');
  expect(await usage()).toBe('operation  calls  operations\nP          1      1\n');
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
  const named = [programPath('main.ts'), 'usage', 'a\u001b[31m\u202e.log'];
  const { stderr } = spawnSync(process.execPath, named, { encoding: 'utf8' });
  expect(stderr).toBe('a\\u001b[31m\\u202e.log: cannot be read: ENOENT\n');
});
