import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { buildDashboard, example } from '../../support/dashboard.ts';
import { root } from '../../support/files.ts';
import { makeFolder } from '../../support/manifest.ts';

it('starts with one command, and ends with it', async () => {
  const folder = await makeFolder();
  const env = {
    ...process.env,
    PORT: '0',
    REFERENCE_DATABASE_URL: `file:${join(folder, 'reference.db')}`,
  };
  const start = spawn(process.execPath, ['--import', 'tsx', join(example, 'start.ts')], { env });
  const ended = once(start, 'exit');
  onTestFinished(async () => {
    start.kill();
    await ended;
  });
  const output: string[] = [];
  start.stderr.on('data', (text) => output.push(String(text)));
  let url = '';
  for await (const line of createInterface(start.stdout)) {
    output.push(line);
    url = /^dashboard at (\S+)/.exec(line)?.[1] ?? '';
    if (url) break;
  }
  expect(url, output.join('\n')).not.toBe('');
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('Partner dashboard');
  start.kill();
  await ended;
  await expect.poll(() => fetch(url).catch(() => 'closed')).toBe('closed');
});

it('passes its checks in a copied folder', async () => {
  const outer = await makeFolder();
  const folder = join(outer, 'frontend');
  // As the tarball of the gateway is installed.
  await mkdir(join(outer, 'node_modules'));
  await symlink(root, join(outer, 'node_modules/portico'));
  const copied = (path: string) => !/[\\/](node_modules|dist)$/.test(path);
  await cp(example, folder, { recursive: true, filter: copied });
  await symlink(resolve(example, '../../node_modules'), join(folder, 'node_modules'));
  const passed = spawnSync('npm', ['run', 'check'], { cwd: folder, encoding: 'utf8' });
  expect(passed.status, passed.stdout + passed.stderr).toBe(0);
});

it('has less than 150 KB of compressed scripts, and knows the prefix of site ids', () => {
  const folder = buildDashboard({ SITE_ID_PREFIX: 'LODGE' });
  onTestFinished(() => rm(folder, { recursive: true }));
  const scripts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'));
  const texts = scripts.map((name) => readFileSync(join(folder, 'assets', name), 'utf8'));
  expect(texts.join('\n')).toContain('LODGE');
  expect(gzipSync(texts.join('\n')).length).toBeLessThan(150_000);
});
