import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { version } from '../src/config/settings.ts';
import { postQuery } from './support/gateway.ts';
import { writeManifest } from './support/manifest.ts';
import { programPath, startProcess } from './support/process.ts';
import { bareSite, sendJson, startUpstream } from './support/upstream.ts';

const run = promisify(execFile);

it('serves the demo by a curl line that works as pasted, and logs its start and its end without secrets', async () => {
  const { path } = await writeManifest({ a: '{ __typename }' });
  const main = await startProcess('main.ts', {
    PORT: '0',
    CACHE_URL: 'redis://:hunter2@127.0.0.1:1',
    TRUSTED_DOCUMENTS: path,
    UPSTREAM_TIMOUT_MS: '5',
    // ADMIN_PORT comes first, but is two letters away.
    admin_host: '::1',
    NODE_OPTIONS: '--disallow-code-generation-from-strings',
  });
  const [, url] = await main.printed(/ready at (\S+)\/graphql/);
  const [pasted] = await main.printed(/^curl .+$/m);
  const { stdout } = await run('sh', ['-c', pasted]);
  expect(JSON.parse(stdout)).toMatchObject({ data: { site: { city: 'Bend' } } });
  expect(JSON.parse(stdout)).not.toHaveProperty('errors');
  main.kill('SIGTERM');
  const { code, stderr } = await main.exit();
  expect(code).toBe(0);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const settings = { PORT: '0', CACHE_URL: '[set]', TRUSTED_DOCUMENTS: path };
  const own = lines.filter(({ event }) => /^(started|draining|ended)$/.test(event));
  expect(own).toMatchObject([
    { event: 'started', version, node: process.version, url, settings },
    { event: 'draining' },
    { event: 'ended', aborted: 0 },
  ]);
  const messages = lines.map(({ msg }) => msg);
  expect(messages).toContain('UPSTREAM_TIMOUT_MS is no setting: is it UPSTREAM_TIMEOUT_MS?');
  expect(messages).toContain('admin_host is no setting: is it ADMIN_HOST?');
});

it('calls UPSTREAM_URL, offers no key, drains on a signal, and exits at once on a second one', async () => {
  const upstream = await startUpstream((req, res) => {
    if (req.url?.endsWith('SITE-7')) sendJson(res, bareSite('SITE-7'));
  });
  const proxy = { HTTPS_PROXY: 'http://user:hunter2@proxy.test' };
  const main = await startProcess('main.ts', { ...proxy, PORT: '0', UPSTREAM_URL: `${upstream.url}/base/` });
  const [printed, url = ''] = await main.printed(/ready at (\S+)\n/);
  await postQuery(url, '{ site(id: "SITE-7") { id } }');
  expect(upstream.paths()).toEqual(['/base/v1/site/SITE-7']);
  expect(printed).not.toContain('key');
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain('"apiKey":""');

  const unanswered = postQuery(url, '{ site(id: "SITE-1") { id } }').catch(() => 'cut');
  await upstream.received(2);
  main.kill('SIGINT');
  main.kill('SIGTERM');
  expect(await main.end()).toEqual({ code: 1, complaints: [] });
  expect(await unanswered).toBe('cut');
});

it.runIf(existsSync('/usr/bin/script')).each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
])('colours the log of a terminal with %j: %s', async (env, hasColours) => {
  const command = `exec ${process.execPath} ${programPath('main.ts')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', SHELL: '/bin/sh', PORT: '0', ...env },
  });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await expect.poll(() => output, { timeout: 20_000 }).toContain(': started {');
  expect(output.includes('\u001b[3')).toBe(hasColours);
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

it.each(['PORT', 'ADMIN_PORT'])('exits with 1 and the number of a port that is in use: %s', async (name) => {
  const { url } = await startUpstream(() => {});
  const { port } = new URL(url);
  const { code, stderr } = await (
    await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: url, [name]: port })
  ).exit();
  expect(code).toBe(1);
  expect(stderr).toContain('EADDRINUSE');
  expect(stderr).toContain(`check ${name}=${port} and `);
});

it.runIf(existsSync('/dev/full'))('exits with 1 where what it prints cannot be written', () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const args = [programPath('main.ts'), 'print-schema'];
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
  expect([status, String(stderr)]).toEqual([1, 'standard output cannot be written: ENOSPC\n']);
});

it('exits with 0 where the reader of what it prints has closed the pipe', async () => {
  const child = spawn(process.execPath, [programPath('main.ts'), 'print-schema']);
  child.stdout.destroy();
  const stderr = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await stderr).toBe('');
});
