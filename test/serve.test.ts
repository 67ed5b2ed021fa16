import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { postQuery } from './support/gateway.ts';
import { startLoad, startSlowUpstream } from './support/load.ts';
import { makeFolder } from './support/manifest.ts';
import { startProcess } from './support/process.ts';
import { sendSite, startUpstream } from './support/upstream.ts';
import { jsonHeaders, openWire, postOf, wireOf } from './support/wire.ts';

/** The packages that a gateway has loaded once it is ready. */
async function packagesOf(env: Record<string, string>) {
  const folder = await makeFolder();
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
  return new Set(paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
}

/** Packages that only a setting, another command or the embedded reference needs. */
const optional = [
  '@babel/parser',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  'ioredis',
  'kysely',
  'libsql',
  'pg',
  'prom-client',
];

it('loads no package that is not needed', async () => {
  const packages = await packagesOf({ UPSTREAM_URL: 'http://127.0.0.1:9' });
  expect([...packages]).toContain('graphql');
  expect(optional.filter((name) => packages.has(name))).toEqual([]);
});

async function start(upstreamUrl: string, env: Record<string, string> = {}) {
  const main = await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: upstreamUrl, ...env });
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  return { main, origin };
}

it('fails no request on SIGTERM, fails /readyz, and exits with 0', async () => {
  const upstream = await startSlowUpstream(300);
  const { main, origin } = await start(upstream.url, { DRAIN_DELAY_MS: '3000' });
  const load = startLoad(origin);
  await load.more(128);
  expect(load.failures).toEqual([]);
  main.kill('SIGTERM');
  const readiness = async () => (await fetch(`${origin}/readyz`)).text();
  await expect.poll(readiness).toBe('draining\n');
  const end = await main.end();
  await load.stop();
  expect(end).toEqual({ code: 0, complaints: [] });
  // The port is closed then, which is how a balancer detects it.
  expect(load.failures.filter((words) => !words.includes('ECONNREFUSED'))).toEqual([]);
});

it('ignores a SIGHUP, aborts requests at the deadline, logs their number, and exits with 1', async () => {
  const upstream = await startUpstream(() => {});
  const { main, origin } = await start(upstream.url, { DRAIN_TIMEOUT_MS: '300' });
  main.kill('SIGHUP');
  const [ignored] = await main.complained(/SIGHUP ignored: restart the process[^"]*/);
  const overdue = postQuery(`${origin}/graphql`, '{ site(id: "SITE-1") { id } }');
  await upstream.received(1);
  const slow = await openWire(origin);
  slow.write(wireOf('POST /graphql', { ...jsonHeaders, 'content-length': '9' }, '{'));
  const startedMs = performance.now();
  main.kill('SIGTERM');
  expect(await main.end()).toEqual({
    code: 1,
    complaints: [ignored, 'drain: aborted 2 requests that did not end within DRAIN_TIMEOUT_MS=300'],
  });
  expect(performance.now() - startedMs).toBeGreaterThan(290);
  const overloaded = { status: 503, errors: [{ extensions: { code: 'OVERLOADED' } }] };
  expect(await overdue).toMatchObject(overloaded);
});

it('responds to probes on the admin port while connections fill the other and while it drains', async () => {
  const held: (() => void)[] = [];
  const upstream = await startUpstream((...call) => held.push(() => sendSite(...call)));
  const { main, origin } = await start(upstream.url, { MAX_CONNECTIONS: '3', ADMIN_PORT: '0' });
  const [, admin = ''] = await main.complained(/"url":"(http:\/\/127\.0\.0\.1:\d+)\/metrics"/);
  const probe = async (path: string) => {
    const response = await fetch(admin + path, { headers: { connection: 'close' } });
    return `${response.status} ${await response.text()}`;
  };
  const wires = [];
  for (let n = 0; n < 3; n += 1) {
    const wire = await openWire(origin);
    wire.write(wireOf('GET /livez', {}));
    await wire.read(/ok\n$/);
    wires.push(wire);
  }
  const oneMore = await openWire(origin);
  oneMore.write(wireOf('GET /livez', {}));
  expect(await oneMore.closed).toBe('');
  expect([await probe('/livez'), await probe('/readyz')]).toEqual(['200 ok\n', '200 ok\n']);

  wires[0]?.write(postOf('{ site(id: "SITE-1") { city } }'));
  await upstream.received(1);
  main.kill('SIGTERM');
  await expect.poll(() => probe('/readyz')).toBe('503 draining\n');
  expect(await probe('/livez')).toBe('200 ok\n');
  for (const response of held) response();
  expect(await main.exit()).toMatchObject({ code: 0 });
  expect(await wires[0]?.closed).toContain('"city":');
});
