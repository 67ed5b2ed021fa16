import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoKeys } from '../../src/reference/data/landmarks.ts';
import { startDatabase } from '../../src/reference/database.ts';
import { issueArgs, keyOn, press, runDesk } from './desk.ts';
import { readDump } from './dump.ts';
import { engines } from './engines.ts';
import { ask, freshDatabasePath, startFresh } from './harness.ts';
import { freshPath } from './lines.ts';
import { askPostgres, freshPostgresUrl, hasPostgres } from './postgres.ts';

/** Each order is a process of its own, and the machine may be busy with others. */
const PATIENCE_MS = 60_000;

const noDatabase = 'REFERENCE_DATABASE_URL names no database of the reference: ';
const remedy = 'start the server on it once, or set the database that the server uses';

const SITE = '/v1/site/SITE-1001';
const statusOf = async (server: { url: string }, key: string, target = SITE) =>
  (await ask(server, target, { 'x-api-key': key })).status;

/** The server as its own process, on a free port, with all that it prints. */
async function spawnServer(databaseUrl: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/reference/main.ts'], {
    env: { PATH: process.env.PATH, REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = { url: '', printed: '', stop };
  async function stop() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  onTestFinished(stop);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      server.printed += chunk;
    });
  }
  const ended = once(child, 'close').then(() => {
    throw new Error(`The server ended early: ${server.printed}`);
  });
  ended.catch(() => {});
  const ready = /reference ready at (\S+)/;
  while (!ready.test(server.printed)) await Promise.race([once(child.stdout, 'data'), ended]);
  server.url = ready.exec(server.printed)?.[1] ?? '';
  return server;
}

/** A database as an import makes it: with its tables, and without a demo. */
async function makeDatabase(): Promise<string> {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  await (await startDatabase(databaseUrl)).destroy();
  return databaseUrl;
}

/** The link's target and its key's name, from what `issue` and `rotate` print. */
function readIssued(out: string) {
  return { target: /\/link\/\S+/.exec(out)?.[0] ?? '', name: /^Key (\S{8})…/.exec(out)?.[1] ?? '' };
}

/** Issued at the desk and taken from its link's page. */
async function takeKey(databaseUrl: string, server: { url: string }, args = issueArgs) {
  const { out, err, code } = await runDesk(databaseUrl, args);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  const issued = readIssued(out);
  return { ...issued, out, key: String(keyOn(await press(server, issued.target))) };
}

for (const { name: engine, isMissing, freshUrl } of engines) {
  describe.skipIf(isMissing)(`the desk on ${engine}`, { timeout: PATIENCE_MS }, () => {
    it('revokes in every process within a second, and says the same again', async () => {
      const databaseUrl = await freshUrl();
      const here = await startFresh({ databaseUrl });
      const there = await spawnServer(databaseUrl);
      const { key, name } = await takeKey(databaseUrl, here);
      // Both know the key, and are asked all along, so that neither has forgotten it by chance.
      const asking = new AbortController();
      onTestFinished(() => asking.abort());
      const untilRefused = async (server: { url: string }) => {
        while ((await statusOf(server, key)) !== 403) await pause(5, null, { signal: asking.signal });
        return performance.now();
      };
      const refusedAt = Promise.all([here, there].map(untilRefused));
      // Where the test ends early, nobody waits for this any more.
      refusedAt.catch(() => {});
      const { code, out } = await runDesk(databaseUrl, ['revoke', name]);
      const revokedAt = performance.now();
      expect(code).toBe(0);
      for (const moment of await refusedAt) expect(moment - revokedAt).toBeLessThan(1_000);
      expect([await statusOf(here, key), await statusOf(there, key)]).toEqual([403, 403]);
      expect((await runDesk(databaseUrl, ['revoke', name])).out).toBe(out);
    });

    it('leaves no key and no token in the database, in a log or on paper', async () => {
      const databaseUrl = await freshUrl();
      const server = await spawnServer(databaseUrl);
      const { key, name, target, out } = await takeKey(databaseUrl, server);
      const unopened = readIssued((await runDesk(databaseUrl, ['rotate', name])).out);
      expect(await statusOf(server, key)).toBe(200);
      expect(await statusOf(server, `${key}0`)).toBe(403);
      for (const link of [target, unopened.target]) await ask(server, link, {});
      await press(server, target);
      const orders = [
        ['list'],
        ['list', '--json'],
        ['show', name],
        ['revoke', key],
        [key, `--${key}`, `--partner=${key}`, `-${key}`],
      ];
      const runs = await Promise.all(orders.map((args) => runDesk(databaseUrl, args)));
      runs.push(await runDesk(databaseUrl, ['revoke', name]));
      const beforeTheEnd = await readDump(databaseUrl);
      await server.stop();
      const afterTheEnd = await readDump(databaseUrl);
      const printed = runs.map(({ out, err }) => out + err).join();
      const [token = '', other = ''] = [target, unopened.target].map((link) => link.split('/')[2]);
      expect([token.length, other.length, key.length]).toEqual([43, 43, 40]);
      const places = { beforeTheEnd, afterTheEnd, printed, log: server.printed };
      for (const [place, text] of Object.entries(places)) {
        // In a file a name is followed by other columns, which may well begin as its key goes on.
        for (const secret of [key.slice(0, 14), key.slice(8), token, other]) {
          expect(text.includes(secret), place).toBe(false);
        }
        // The name is there, so the search would find more of it.
        expect(text.includes(name), place).toBe(place !== 'log');
      }
      expect(out.includes(key.slice(0, 9))).toBe(false);
    });
  });
}

describe('the desk', { timeout: PATIENCE_MS }, () => {
  it('issues a key through a link, which opens what it was given for and names its contact', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const server = await startFresh({ databaseUrl });
    const scoped = [...issueArgs.slice(0, -1), 'site:read', '--expires', '2999-01-01'];
    const { key, name, out } = await takeKey(databaseUrl, server, scoped);
    expect(key.slice(0, 8)).toBe(name);
    expect(out).not.toContain(key.slice(0, 9));
    expect(await statusOf(server, key)).toBe(200);
    expect(await statusOf(server, key, '/v1/conversation/5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00/context')).toBe(
      403,
    );
    const { out: listed } = await runDesk(databaseUrl, ['list', '--partner', 'acme', '--json']);
    expect(JSON.parse(listed)).toMatchObject([
      { name: 'demo-acm', contact: 'integrations@acme-property.example' },
      {
        name,
        partner: 'acme',
        environment: 'test',
        state: 'living',
        description: 'Shows sites on a map',
        contact: 'maps@acme-property.example',
        scopes: ['site:read'],
        expiresAt: '2999-01-01T00:00:00.000Z',
        revokedAt: null,
      },
    ]);
    const { out: table } = await runDesk(databaseUrl, ['list']);
    expect(table.split('\n').find((line) => line.startsWith(name))).toContain('maps@acme-property.example');
    expect(table).toContain('integrations@globex-residences.example');
    const { out: shown } = await runDesk(databaseUrl, ['show', name]);
    expect(shown).toMatch(/^link +opened 2\d{3}-/m);
  });

  it('rotates: a second key with the same facts, and the first lives until it is revoked', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const server = await startFresh({ databaseUrl });
    const first = await takeKey(databaseUrl, server);
    const second = await takeKey(databaseUrl, server, ['rotate', first.name]);
    expect(second.name).not.toBe(first.name);
    expect([await statusOf(server, first.key), await statusOf(server, second.key)]).toEqual([200, 200]);
    const facts = async (name: string) => {
      const {
        name: _,
        createdAt,
        lastUsedAt,
        ...rest
      } = JSON.parse((await runDesk(databaseUrl, ['show', name, '--json'])).out);
      return rest;
    };
    expect(await facts(second.name)).toEqual(await facts(first.name));
    expect((await runDesk(databaseUrl, ['revoke', first.name])).code).toBe(0);
    await expect.poll(() => statusOf(server, first.key), { interval: 20 }).toBe(403);
    expect(await statusOf(server, second.key)).toBe(200);
  });

  it('refuses a whole key, repeats nothing of it, and revokes nothing', async () => {
    const path = await freshDatabasePath();
    const server = await startFresh({ databaseUrl: `file:${path}` });
    const run = await runDesk(`file:${path}`, ['revoke', demoKeys.acme]);
    expect(run).toEqual({
      code: 2,
      out: '',
      err: 'NAME must be the first eight characters of a key, and no more of it\nnpm run keys -- --help shows how\n',
    });
    expect(await statusOf(server, demoKeys.acme)).toBe(200);
  });

  it('refuses fewer than eight characters and a name that nobody has', async () => {
    const databaseUrl = await makeDatabase();
    expect((await runDesk(databaseUrl, ['revoke', 'demo-ac'])).code).toBe(2);
    const verbs = ['revoke', 'rotate', 'show'];
    for (const run of await Promise.all(verbs.map((verb) => runDesk(databaseUrl, [verb, 'demo-acn'])))) {
      expect(run).toEqual({ code: 1, out: '', err: 'no key begins with these eight characters\n' });
    }
  });

  it('makes no demo, and leaves it to the first server', async () => {
    const databaseUrl = await makeDatabase();
    const { name } = readIssued((await runDesk(databaseUrl, issueArgs)).out);
    const { out } = await runDesk(databaseUrl, ['list', '--json']);
    expect(JSON.parse(out)).toMatchObject([{ name }]);
    expect(await statusOf(await startFresh({ databaseUrl }), demoKeys.acme)).toBe(200);
  });

  it('leads links to the public address, and else to the port of this machine', async () => {
    const databaseUrl = await makeDatabase();
    const publicly = { REFERENCE_PUBLIC_URL: 'https://partners.provider.example/api/' };
    expect((await runDesk(databaseUrl, issueArgs, publicly)).out).toMatch(
      /\n\nhttps:\/\/partners\.provider\.example\/api\/link\/[\w-]{43}\n$/,
    );
    expect((await runDesk(databaseUrl, issueArgs, { REFERENCE_PORT: '4321' })).out).toMatch(
      /\n\nhttp:\/\/127\.0\.0\.1:4321\/link\/[\w-]{43}\n$/,
    );
  });

  it('issues nothing whose link would lead nowhere', async () => {
    const databaseUrl = await makeDatabase();
    const { name } = readIssued((await runDesk(databaseUrl, issueArgs)).out);
    for (const args of [issueArgs, ['rotate', name]]) {
      const run = await runDesk(databaseUrl, args, { REFERENCE_PORT: '0' });
      expect(run).toMatchObject({ code: 1, out: '', err: expect.stringContaining('REFERENCE_PUBLIC_URL') });
    }
    const { out } = await runDesk(databaseUrl, ['list', '--json'], { REFERENCE_PORT: '0' });
    expect(JSON.parse(out)).toMatchObject([{ name }]);
  });

  it('makes no database, whatever is asked of one that is not there', async () => {
    const path = await freshDatabasePath();
    const orders = [
      issueArgs,
      ['rotate', 'demo-acm'],
      ['revoke', 'demo-acm'],
      ['list'],
      ['show', 'demo-acm'],
    ];
    for (const run of await Promise.all(orders.map((args) => runDesk(`file:${path}`, args)))) {
      expect(run).toEqual({ code: 1, out: '', err: `${noDatabase}there is no file ${path}; ${remedy}\n` });
    }
    // Not even a folder, of the three that a server would make for it.
    expect(await readdir(dirname(dirname(dirname(path))))).toEqual([]);
    const inMemory = await runDesk(':memory:', issueArgs);
    expect(inMemory).toMatchObject({ code: 1, out: '', err: expect.stringContaining(noDatabase) });
  });

  it("writes nothing to another program's database", async () => {
    const path = join(dirname(await freshPath()), 'other.db');
    const other = new Sqlite(path);
    other.exec('create table steps (name text)');
    other.close();
    const before = await readFile(path);
    const { code, out, err } = await runDesk(`file:${path}`, issueArgs);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(`${noDatabase}${path} has no tables of it; ${remedy}\n`);
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it.skipIf(!hasPostgres)('makes no tables in a Postgres that has none of the reference', async () => {
    const databaseUrl = await freshPostgresUrl();
    const { code, out, err } = await runDesk(databaseUrl, issueArgs);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(`${noDatabase}its schema has no tables of it; ${remedy}\n`);
    const tables = "select tablename from pg_tables where schemaname = 'public'";
    expect(await askPostgres(databaseUrl, tables)).toEqual([]);
  });

  it('says in one line that the database is not there', async () => {
    const run = await runDesk('postgres://nobody@127.0.0.1:1/none', ['list']);
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toMatch(/^[^\n]*ECONNREFUSED[^\n]*\n$/);
  });
});
