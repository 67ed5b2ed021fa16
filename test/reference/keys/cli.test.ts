import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { startProcess } from '../../support/process.ts';
import { freshDatabasePath, freshPath, onEngines, readDump } from '../support/database.ts';
import { issueArgs, keyOn, press, runKeys } from '../support/keys.ts';
import { sendRequest, siteTarget, startFresh, withKey } from '../support/server.ts';

const noDatabase = 'REFERENCE_DATABASE_URL names no database of the reference: start the server on it once';

const statusOf = async (server: { url: string }, key: string, target = siteTarget(demoSites().main)) =>
  (await sendRequest(server, target, withKey(key))).status;

/** Starts the server in its own process. `stop` ends it, and returns all that it has printed. */
async function spawnServer(databaseUrl: string) {
  const env = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_PORT: '0' };
  const program = await startProcess('reference/main.ts', env);
  const [, url = ''] = await program.printed(/ready at (\S+)\n/);
  const stop = async () => {
    program.kill('SIGTERM');
    const { stdout, stderr } = await program.exit();
    return stdout + stderr;
  };
  return { url, stop };
}

/** A database with tables and without the demo data, as an import creates it. */
async function createDatabase(): Promise<string> {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  await (await startDatabase(databaseUrl)).destroy();
  return databaseUrl;
}

/** The link and the name of the key in the output of `issue` and `rotate`. */
function readIssued(output: string) {
  return { target: /\/link\/\S+/.exec(output)?.[0] ?? '', name: /^Key (\S{8})…/.exec(output)?.[1] ?? '' };
}

async function listedKeys(databaseUrl: string, ...args: string[]): Promise<Record<string, unknown>[]> {
  return JSON.parse((await runKeys(databaseUrl, ['list', ...args])).output);
}

/** Issues a key and reads it from the page of its link. */
async function takeKey(databaseUrl: string, server: { url: string }, args = issueArgs) {
  const { output, errors, code } = await runKeys(databaseUrl, args);
  expect({ errors, code }).toEqual({ errors: [], code: 0 });
  const issued = readIssued(output);
  return { ...issued, output, key: String(keyOn(await press(server, issued.target))) };
}

onEngines('npm run keys', (freshUrl) => {
  it('revoke takes effect in every process, and repeats its output', async () => {
    const databaseUrl = await freshUrl();
    const here = await startFresh({ databaseUrl });
    const there = await spawnServer(databaseUrl);
    const { key, name } = await takeKey(databaseUrl, here);
    // Constant requests keep the key in the memory of both servers.
    const timeout = new AbortController();
    onTestFinished(() => timeout.abort());
    const untilRejected = async (server: { url: string }) => {
      while ((await statusOf(server, key)) !== 403) await pause(5, null, { signal: timeout.signal });
    };
    const rejected = Promise.all([here, there].map(untilRejected));
    // Handled below; a test that fails before must not also have an unhandled rejection.
    rejected.catch(() => {});
    const { code, output } = await runKeys(databaseUrl, ['revoke', name]);
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^Key ${name}… is revoked since 2\\d{3}-\\S+Z\\.$`));
    await rejected;
    expect((await runKeys(databaseUrl, ['revoke', name])).output).toBe(output);
  });

  it('no key and no token is in the database, a log or the output of a command', async () => {
    const databaseUrl = await freshUrl();
    const server = await spawnServer(databaseUrl);
    const { key, name, target, output } = await takeKey(databaseUrl, server);
    const unopened = readIssued((await runKeys(databaseUrl, ['rotate', name])).output);
    expect(await statusOf(server, key)).toBe(200);
    expect(await statusOf(server, `${key}0`)).toBe(403);
    for (const link of [target, unopened.target]) await sendRequest(server, link, {});
    await press(server, target);
    const commands = [['list'], ['revoke', key], [key, `--${key}`, `--partner=${key}`, `-${key}`]];
    const runs = await Promise.all(commands.map((args) => runKeys(databaseUrl, args)));
    runs.push(await runKeys(databaseUrl, ['revoke', name]));
    const running = await readDump(databaseUrl);
    const log = await server.stop();
    const stopped = await readDump(databaseUrl);
    const printed = JSON.stringify(runs);
    const [token = '', other = ''] = [target, unopened.target].map((link) => link.split('/')[2]);
    expect([token.length, other.length, key.length]).toEqual([43, 43, 40]);
    const places = { running, stopped, printed, log };
    for (const [place, text] of Object.entries(places)) {
      // Not name plus one character: the column after the name may begin with that character.
      for (const secret of [key.slice(0, 14), key.slice(8), token, other]) {
        expect(text.includes(secret), place).toBe(false);
      }
      // Proves that the search finds what is there.
      expect(text.includes(name), place).toBe(true);
    }
    expect(output.includes(key.slice(0, 9))).toBe(false);
    expect(printed).not.toMatch(/[0-9a-f]{64}/);
  });
});

describe('npm run keys', () => {
  it('issue prints a link to a key with the requested scopes, contact and expiry', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const server = await startFresh({ databaseUrl });
    const scoped = [...issueArgs.slice(0, -1), 'site:read', '--expires', '2999-01-01'];
    const { key, name, output } = await takeKey(databaseUrl, server, scoped);
    expect(key.slice(0, 8)).toBe(name);
    expect(output).not.toContain(key.slice(0, 9));
    expect(await statusOf(server, key)).toBe(200);
    expect(await statusOf(server, key, '/v1/conversation/5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00/context')).toBe(
      403,
    );
    const listed = async () =>
      (await listedKeys(databaseUrl, '--partner', 'acme')).find((one) => one.name === name);
    await expect.poll(async () => (await listed())?.lastUsedAt).toMatch(/^2\d{3}-/);
    expect(await listed()).toMatchObject({
      partner: 'acme',
      environment: 'test',
      state: 'active',
      description: 'Shows sites on a map',
      contact: 'maps@acme-property.example',
      scopes: ['site:read'],
      expiresAt: '2999-01-01T00:00:00.000Z',
      revokedAt: null,
      links: [{ openedAt: expect.stringMatching(/^2\d{3}-/) }],
    });
  });

  it('issue --show prints the key alone, without a link, and only for the test environment', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const server = await startFresh({ databaseUrl });
    // Without a base for links.
    const env = { REFERENCE_PORT: '0' };
    const { output: key, code } = await runKeys(databaseUrl, [...issueArgs, '--show'], env);
    expect({ code, key }).toEqual({ code: 0, key: expect.stringMatching(/^[0-9a-z]{40}$/) });
    expect(await statusOf(server, key)).toBe(200);
    const listed = (await listedKeys(databaseUrl)).find(({ name }) => name === key.slice(0, 8));
    expect(listed).toMatchObject({ links: [] });
    const production = issueArgs.map((word) => (word === 'test' ? 'production' : word));
    expect(await runKeys(databaseUrl, [...production, '--show'])).toMatchObject({
      code: 2,
      output: '',
      errors: ['--show applies to --environment test alone', expect.any(String)],
    });
  });

  it('rotate issues a second key with the same facts, and the first stays valid until it is revoked', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const server = await startFresh({ databaseUrl });
    const first = await takeKey(databaseUrl, server);
    const second = await takeKey(databaseUrl, server, ['rotate', first.name]);
    expect(second.name).not.toBe(first.name);
    expect([await statusOf(server, first.key), await statusOf(server, second.key)]).toEqual([200, 200]);
    const facts = async (name: string) => {
      const listed = (await listedKeys(databaseUrl)).find((key) => key.name === name);
      const { name: _, createdAt, lastUsedAt, links, ...rest } = listed ?? {};
      return rest;
    };
    expect(await facts(second.name)).toEqual(await facts(first.name));
    expect((await runKeys(databaseUrl, ['revoke', first.name])).code).toBe(0);
    await expect.poll(() => statusOf(server, first.key), { interval: 20 }).toBe(403);
    expect(await statusOf(server, second.key)).toBe(200);
  });

  it('links begin with REFERENCE_PUBLIC_URL', async () => {
    const publicly = { REFERENCE_PUBLIC_URL: 'https://partners.provider.example/api/' };
    expect((await runKeys(await createDatabase(), issueArgs, publicly)).output).toMatch(
      /\n\nhttps:\/\/partners\.provider\.example\/api\/link\/[\w-]{43}$/,
    );
  });

  it('fails without a database, an unknown key and a base for links, and creates no database', async () => {
    const path = await freshDatabasePath();
    expect(await runKeys(`file:${path}`, issueArgs)).toEqual({
      code: 1,
      output: '',
      errors: [expect.stringContaining('no such file')],
    });
    // Nor any of the three folders that a server would create.
    expect(await readdir(dirname(dirname(dirname(path))))).toEqual([]);
    const databaseUrl = await createDatabase();
    const unknown = await runKeys(databaseUrl, ['revoke', 'demo-acn']);
    expect(unknown).toEqual({ code: 1, output: '', errors: ['no key begins with these eight characters'] });
    const baseless = await runKeys(databaseUrl, issueArgs, { REFERENCE_PORT: '0' });
    expect(baseless.errors).toEqual([expect.stringContaining('REFERENCE_PUBLIC_URL')]);
    expect(await listedKeys(databaseUrl)).toEqual([]);
  });

  it("leaves another program's database unchanged", async () => {
    const path = join(dirname(await freshPath()), 'other.db');
    const other = new Sqlite(path);
    other.exec('create table steps (name text)');
    other.close();
    const before = await readFile(path);
    const failed = { code: 1, output: '', errors: [noDatabase] };
    expect(await runKeys(`file:${path}`, issueArgs)).toEqual(failed);
    expect((await readFile(path)).equals(before)).toBe(true);
  });
});
