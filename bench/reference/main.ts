import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Load, runLoad } from './load.ts';
import { importFile, isPinned, startServer, stepAside } from './process.ts';
import { siteId, writeSites } from './rows.ts';

const KEY = 'demo-acme-key-000000000000';
const CONNECTIONS = 32;

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
  'server µs each': number;
  'p99 ms': number;
  'peak MiB': number;
}

stepAside();
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const rows: Row[] = [];
try {
  for (const sites of sizes) {
    const path = join(folder, `${sites}.ndjson`);
    await writeSites(path, sites);
    rows.push(await measure('SQLite', sites, path, `file:${join(folder, `${sites}.db`)}`));
    rows.push(...(await withPostgres((url) => measure('Postgres', sites, path, url))));
  }
} finally {
  await rm(folder, { recursive: true });
}
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${processor}, Node ${process.version}, ${isPinned ? 'one core each' : 'cores shared'}`);
console.table(rows.sort((a, b) => b.store.localeCompare(a.store)));
const slowest = Math.min(...rows.filter(({ store }) => store === 'SQLite').map((row) => row['requests/s']));
if (slowest < Number(values['at-least'])) {
  console.error(`${slowest} site reads per second from SQLite are fewer than ${values['at-least']}`);
  process.exitCode = 1;
}

async function measure(store: string, sites: number, path: string, databaseUrl: string): Promise<Row> {
  const env = {
    REFERENCE_DATABASE_URL: databaseUrl,
    REFERENCE_PORT: '0',
    REFERENCE_ENVIRONMENT: 'test',
    REFERENCE_RATE_LIMIT: '1000000000',
  };
  // The first start makes the demo data, and with it the key.
  await (await startServer(env)).stop();
  await importFile(path, env);
  const server = await startServer(env);
  let turn = 0;
  const read = (time: number): Promise<Load> =>
    runLoad(server.url, KEY, CONNECTIONS, time, () => `/v1/site/${siteId(turn++ % sites)}`);
  try {
    await read(warmUpSeconds);
    const before = server.cpuUs();
    const load = await read(seconds);
    return {
      store,
      sites,
      'requests/s': Math.round(load.requests / load.seconds),
      'server µs each': Math.round((server.cpuUs() - before) / load.requests),
      'p99 ms': Math.round(load.p99Ms * 10) / 10,
      'peak MiB': Math.round(server.peakMiB()),
    };
  } finally {
    await server.stop();
  }
}

/** Runs in a database of its own, where there is a Postgres to make it in. */
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
    // The role that the reference reads with.
    await client.query(`drop role if exists ${name}_reader`);
    await client.end();
  }
}
