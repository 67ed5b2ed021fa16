import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startProcess } from './support/process.ts';

/** The files that a gateway has loaded once it is ready, and the packages in them. */
async function startedWith(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Node writes at the exit what it has loaded.
  const main = await startProcess('main.ts', { PORT: '0', NODE_V8_COVERAGE: folder, ...env });
  await main.printed(/ready at/);
  main.kill('SIGTERM');
  await main.exit();
  const [name = ''] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] };
  const files = result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
  // The bundle has a comment with the path of each file in it.
  const paths = files.flatMap((file) => [
    file,
    ...(readFileSync(file, 'utf8').match(/^\/\/ node_modules\/\S+/gm) ?? []),
  ]);
  const packages = new Set(
    paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  return { files, packages };
}

const embedded = ['hono', 'kysely', 'libsql'];
const optional = [
  '@babel/parser',
  '@opentelemetry/api',
  'cli-progress',
  'ioredis',
  'pg',
  'pino-pretty',
  'prom-client',
  'tinyglobby',
];

it('loads a few files, and no package that only a setting, another command or the embedded reference needs', async () => {
  const { files, packages } = await startedWith({ UPSTREAM_URL: 'http://127.0.0.1:9' });
  expect(files.length).toBeLessThanOrEqual(12);
  expect([...packages]).toContain('graphql');
  expect([...embedded, ...optional].filter((name) => packages.has(name))).toEqual([]);
});

it('loads the packages of the embedded reference for it', async () => {
  const { files, packages } = await startedWith({ REFERENCE_DATABASE_URL: ':memory:' });
  expect(files.length).toBeLessThan(30);
  expect(embedded.filter((name) => packages.has(name))).toEqual(embedded);
  expect(optional.filter((name) => packages.has(name))).toEqual([]);
});
