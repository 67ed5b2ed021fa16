import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createClosedLoop } from '../load/closed-loop.ts';
import { percentile } from '../load/open-loop.ts';
import type { LoadRequest, Traffic } from '../load/send.ts';
import { inProject } from '../paths.ts';
import { type Command, canPin, leaveFirstCore } from '../processes/cores.ts';
import { launch } from '../processes/launch.ts';
import { freePort } from '../processes/ports.ts';
import { startProcess } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';

const KEY = 'demo-acme-key-000000000000';
const CONNECTIONS = 32;
/** The number of the first generated site. */
const FIRST_SITE = 1001;
const REFERENCE: Command = [process.execPath, inProject('dist/reference/main.js')];

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, 'at-least': { type: 'string', default: '0' } },
});
const sizes = values.quick ? [100] : [1, 100, 10_000];
const seconds = values.quick ? 2 : 8;
const warmUpSeconds = values.quick ? 1 : 3;
const postgresUrl = process.env.BENCH_DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres';

interface Row {
  store: string;
  sites: number;
  'requests/s': number;
  'server µs per request': number;
  'p99 ms': number;
  'peak MB': number;
}

leaveFirstCore();
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const rows: Row[] = [];
try {
  for (const sites of sizes) {
    const path = join(folder, `${sites}.ndjson`);
    await runReference(['generate', '--sites', String(sites), '--conversations', '0'], {}, path);
    rows.push(await measure('SQLite', sites, path, `file:${join(folder, `${sites}.db`)}`));
    rows.push(...(await withPostgres((url) => measure('Postgres', sites, path, url))));
  }
} finally {
  await rm(folder, { recursive: true });
}
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${canPin ? 'one core each' : 'cores shared'}`);
console.table(rows.sort((a, b) => b.store.localeCompare(a.store)));
const slowest = Math.min(...rows.filter(({ store }) => store === 'SQLite').map((row) => row['requests/s']));
if (slowest < Number(values['at-least'])) {
  console.error(`${slowest} site reads per second from SQLite are fewer than ${values['at-least']}`);
  process.exitCode = 1;
}

async function measure(store: string, sites: number, path: string, databaseUrl: string): Promise<Row> {
  const env = {
    REFERENCE_DATABASE_URL: databaseUrl,
    REFERENCE_ENVIRONMENT: 'test',
    REFERENCE_LOG_LEVEL: 'warn',
    REFERENCE_RATE_LIMIT: '1000000000',
  };
  // The first start creates the demo data, and with it the key.
  await (await startReference(env)).stop();
  await runReference(['import', path], env);
  const server = await startReference(env);
  const latenciesMs: number[] = [];
  const loop = createClosedLoop(server.url, CONNECTIONS, createTraffic(sites, latenciesMs));
  try {
    await loop.run({ seconds: warmUpSeconds });
    latenciesMs.length = 0;
    const before = server.usage();
    const load = await loop.run({ seconds });
    const cpuUs = cpuBetween(before, server.usage()) ?? Number.NaN;
    return {
      store,
      sites,
      'requests/s': Math.round(load.requests / load.seconds),
      'server µs per request': Math.round(cpuUs / load.requests),
      'p99 ms': Math.round(percentile(latenciesMs, 0.99) * 10) / 10,
      'peak MB': Math.round(server.memory()?.peakMb ?? Number.NaN),
    };
  } finally {
    await loop.close();
    await server.stop();
  }
}

/** Reads one site after the other. */
function createTraffic(sites: number, latenciesMs: number[]): Traffic<LoadRequest> {
  let sent = 0;
  return {
    next() {
      sent += 1;
      return { method: 'GET', path: `/v1/site/SITE-${FIRST_SITE + (sent % sites)}`, key: KEY };
    },
    onResponse(_, { status, body }, latencyMs) {
      if (status !== 200) throw new Error(`${status}: ${body.toString().slice(0, 500)}`);
      latenciesMs.push(latencyMs);
    },
  };
}

async function startReference(env: Record<string, string>) {
  const port = await freePort();
  return startProcess(REFERENCE, port, { ...env, REFERENCE_PORT: String(port) });
}

/** Runs a command of the reference, which may write its output to a file. */
async function runReference(args: string[], env: Record<string, string>, outputFile?: string): Promise<void> {
  const output = outputFile === undefined ? 'ignore' : openSync(outputFile, 'w');
  const child = launch([...REFERENCE, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', output, 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (typeof output === 'number') closeSync(output);
  if (code !== 0) throw new Error(`${args[0]} exited with ${code}`);
}

/** Runs in a database of its own, if a Postgres is reachable. */
async function withPostgres(run: (url: string) => Promise<Row>): Promise<Row[]> {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: postgresUrl, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
  } catch {
    console.warn('no Postgres at BENCH_DATABASE_URL or 127.0.0.1:5432: measured without');
    return [];
  }
  try {
    await client.query(`create database ${name}`);
    const url = new URL(postgresUrl);
    url.pathname = name;
    return [await run(url.href)];
  } finally {
    await client.query(`drop database if exists ${name} with (force)`);
    // The role with which the reference reads.
    await client.query(`drop role if exists ${name}_reader`);
    await client.end();
  }
}
