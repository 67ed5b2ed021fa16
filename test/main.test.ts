import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { version } from '../src/config/settings.ts';
import { postQuery } from './support/gateway.ts';
import { writeManifest } from './support/manifest.ts';
import { programPath, startProcess } from './support/process.ts';
import { bareSite, sendJson, startUpstream } from './support/upstream.ts';

const run = promisify(execFile);

it('serves the embedded reference by a curl line that works as pasted', async () => {
  const main = await startProcess('main.ts', { PORT: '0' });
  const [pasted] = await main.printed(/^curl .+$/m);
  const { stdout } = await run('sh', ['-c', pasted]);
  expect(JSON.parse(stdout)).toMatchObject({ data: { site: { city: 'Bend' } } });
  expect(JSON.parse(stdout)).not.toHaveProperty('errors');
});

it('calls UPSTREAM_URL, and prints and offers no key', async () => {
  const upstream = await startUpstream((_, res) => sendJson(res, bareSite('SITE-7')));
  const main = await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: `${upstream.url}/base` });
  const [printed, url = ''] = await main.printed(/ready at (\S+)\n/);
  await postQuery(url, '{ site(id: "SITE-7") { id } }');
  expect(upstream.paths()).toEqual(['/base/v1/site/SITE-7']);
  expect(printed).not.toContain('key');
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain('"apiKey":""');
});

it.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 on %s', async (signal) => {
  const { path } = await writeManifest({ a: '{ __typename }' });
  const main = await startProcess('main.ts', { PORT: '0', TRUSTED_DOCUMENTS: path });
  await main.printed(/ready at/);
  main.kill(signal);
  expect(await main.end()).toEqual({ code: 0, complaints: [] });
});

it('logs its start with the settings, and its end, without secrets', async () => {
  const env = { PORT: '0', CACHE_URL: 'redis://:hunter2@127.0.0.1:1', MAX_UPSTREAM_CALLS: '8' };
  const main = await startProcess('main.ts', { ...env, UPSTREAM_TIMOUT_MS: '5' });
  const [, url] = await main.printed(/ready at (\S+)\/graphql/);
  main.kill('SIGTERM');
  const { stderr } = await main.exit();
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const settings = { PORT: '0', CACHE_URL: '[set]', MAX_UPSTREAM_CALLS: '8' };
  const own = lines.filter(({ event }) => /^(started|draining|ended)$/.test(event));
  expect(own).toMatchObject([
    { event: 'started', version, node: process.version, url, settings },
    { event: 'draining' },
    { event: 'ended', aborted: 0 },
  ]);
  expect(lines.map(({ msg }) => msg)).toContain(
    'UPSTREAM_TIMOUT_MS is no setting: is it UPSTREAM_TIMEOUT_MS?',
  );
});

it('names the limit of open files if it is below the connections', async () => {
  const script = `ulimit -n 512 && exec "${process.execPath}" "${programPath('main.ts')}"`;
  const child = spawn('sh', ['-c', script], { env: { PATH: process.env.PATH, PORT: '0' } });
  onTestFinished(() => void child.kill());
  let lines = '';
  child.stderr.on('data', (text) => (lines += text));
  const fault =
    /this process may open 512 files, fewer than MAX_CONNECTIONS=10000 and UPSTREAM_CONNECTIONS=128/;
  await expect.poll(() => lines, { timeout: 20_000 }).toMatch(fault);
});

it.runIf(existsSync('/usr/bin/script')).each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
])('colours the log of a terminal with %j: %s', async (env, hasColours) => {
  const terminal = { PATH: process.env.PATH, TERM: 'xterm-256color', SHELL: '/bin/sh', PORT: '0' };
  const child = spawn('script', ['-qec', `${process.execPath} ${programPath('main.ts')}`, '/dev/null'], {
    env: { ...terminal, ...env },
  });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await expect.poll(() => output, { timeout: 20_000 }).toContain('started');
  expect(output.includes('\u001b[3')).toBe(hasColours);
});

it('serves without code from strings', async () => {
  const NODE_OPTIONS = '--disallow-code-generation-from-strings';
  const main = await startProcess('main.ts', { PORT: '0', NODE_OPTIONS });
  const [, url = ''] = await main.printed(/ready at (\S+)\n/);
  const [, key = ''] = await main.printed(/demo key: (\S+)\n/);
  const query = '{ site(id: "SITE-1001") { city clients { name } } }';
  expect(await postQuery(url, query, { key })).toMatchObject({
    status: 200,
    data: { site: { city: 'Bend' } },
  });
});

it('drains on a signal, and exits at once on a second one', async () => {
  const upstream = await startUpstream(() => {});
  const main = await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: upstream.url });
  const [, url = ''] = await main.printed(/ready at (\S+)\n/);
  const unanswered = postQuery(url, '{ site(id: "SITE-1") { id } }').catch(() => 'cut');
  await upstream.received(1);
  main.kill('SIGTERM');
  main.kill('SIGINT');
  expect(await main.end()).toEqual({ code: 1, complaints: [] });
  expect(await unanswered).toBe('cut');
});

it('reports every fault of the configuration, those of the reference included, and exits with 1', async () => {
  const main = await startProcess('main.ts', {
    PORT: 'x',
    INTROSPECTION: 'x',
    SITE_ID_PREFIX: 'a b',
    REFERENCE_DATABASE_URL: 'x',
  });
  const { code, stdout, stderr } = await main.exit();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'PORT must be a whole number from 0 to 65535',
    'SITE_ID_PREFIX must be one word',
    'INTROSPECTION must be one of open, key, off',
    'REFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:',
  ]);
});

it('serves no demo data in production', async () => {
  const { code, stderr } = await (await startProcess('main.ts', { NODE_ENV: 'production' })).exit();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^UPSTREAM_URL must be set when NODE_ENV is production/);
});

it('exits with 1 and the number of a port that is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const { code, stderr } = await (await startProcess('main.ts', { PORT: port })).exit();
  expect(code).toBe(1);
  expect(stderr).toContain('EADDRINUSE');
  expect(stderr).toContain(`check PORT=${port} and HOST=127.0.0.1`);
});

it.each([
  [{ HOST: '192.0.2.1' }, 'check PORT=0 and HOST=192.0.2.1'],
  [{ ADMIN_PORT: '0', ADMIN_HOST: '192.0.2.1' }, 'check ADMIN_PORT=0 and ADMIN_HOST=192.0.2.1'],
])('exits with 1 and the settings of a host that is elsewhere: %j', async (settings, fault) => {
  const { code, stderr } = await (await startProcess('main.ts', { PORT: '0', ...settings })).exit();
  expect(code).toBe(1);
  expect(stderr).toContain(fault);
});

it.runIf(existsSync('/dev/full')).each(['print-schema', '--help', 'plan --version'])(
  'exits with 1 where what `portico %s` prints cannot be written',
  (line) => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const args = [programPath('main.ts'), ...line.split(' ')];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
    expect([status, String(stderr)]).toEqual([1, 'standard output cannot be written: ENOSPC\n']);
  },
);

it('exits with 0 where the reader of what it prints has closed the pipe', async () => {
  const child = spawn(process.execPath, [programPath('main.ts'), 'print-schema']);
  child.stdout.destroy();
  const stderr = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await stderr).toBe('');
});

it('sets flags that V8 supports', () => {
  // V8 reports an unknown flag on standard error, and goes on.
  const complaints = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' }).stderr;
  expect(complaints('--eval', "process.getBuiltinModule('v8').setFlagsFromString('--none')")).not.toBe('');
  expect(complaints(programPath('main.ts'), '--version')).toBe('');
});
