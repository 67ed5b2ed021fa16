import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { example } from '../support/dashboard.ts';
import { root } from '../support/files.ts';
import { apiKey } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';
import { instruction, readDockerfile } from './files.ts';
import { envFrom, itIsAccepted, readUnit } from './unit.ts';

const dockerfile = 'deploy/dashboard/Dockerfile';
const unit = readUnit('portico-dashboard.service');

/** The settings in the table of the dashboard's README. */
const settings = [
  ...readFileSync(join(example, 'README.md'), 'utf8').matchAll(/^\| (`[A-Z_`, ]+`) \|/gm),
].flatMap(([, names = '']) => [...names.matchAll(/[A-Z_]+/g)].map(([name]) => name));

/** Node 20 needs a loader to run TypeScript; Node 24, which the image and the unit have, needs none. */
const loader =
  Number.parseInt(process.versions.node, 10) >= 24
    ? []
    : ['--import', join(root, 'node_modules/tsx/dist/loader.mjs')];

/** The files that the last stage of the image copies, with a page in place of that of the build. */
async function assemble(): Promise<string> {
  const app = await makeFolder();
  const copies = readDockerfile(dockerfile)
    .at(-1)
    ?.filter((line) => line.startsWith('COPY '))
    .map((line) => line.split(' ').slice(2));
  for (const [from = '', to = ''] of copies ?? []) {
    const path = from.replace('/build/examples/dashboard/', '');
    const target = normalize(join(app, to.endsWith('./') ? path : to));
    await mkdir(dirname(target), { recursive: true });
    if (path !== 'dist') await cp(join(example, path), target, { recursive: true });
    else {
      await mkdir(target);
      await writeFile(join(target, 'index.html'), '<title>Partner dashboard</title>');
    }
  }
  return app;
}

async function exitOf(command: string, args: string[], port: string): Promise<number> {
  const child = spawn(command, args, { env: { PATH: process.env.PATH, PORT: port }, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code;
}

it('runs as a numeric user that is not root, with declared settings and the default port', () => {
  expect(instruction('USER', dockerfile)).toBe('1000:1000');
  const { NODE_ENV, ...env } = envFrom(instruction('ENV', dockerfile));
  expect(NODE_ENV).toBe('production');
  expect(settings).toContain('PORTICO_API_KEY');
  expect(Object.keys(env).filter((name) => !settings.includes(name))).toEqual([]);
  const listen = readFileSync(join(example, 'server/listen.ts'), 'utf8');
  expect(listen).toContain(`PORT = '${instruction('EXPOSE', dockerfile)}'`);
});

it('starts what the image contains with its command, and probes it', async () => {
  const [command, file] = JSON.parse(instruction('CMD', dockerfile));
  expect(command).toBe('node');
  const child = spawn(process.execPath, [...loader, file], {
    cwd: await assemble(),
    // As in a unit or an image: nothing of the environment of the tests.
    env: {
      ...envFrom(instruction('ENV', dockerfile)),
      HOST: '127.0.0.1',
      PORT: '0',
      PORTICO_API_KEY: apiKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [ready] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`The backend exited with ${code}.`))),
  ]);
  const origin = /^dashboard at (http:\/\/\S+:\d+)\//.exec(ready)?.[1] ?? '';
  const page = await fetch(origin, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('Partner dashboard');
  const [, ...probe] = JSON.parse(instruction('HEALTHCHECK', dockerfile));
  expect(await exitOf(process.execPath, probe, new URL(origin).port)).toBe(0);
  // A port that is not served.
  expect(await exitOf(process.execPath, probe, '9')).toBe(1);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

it('has a unit that starts the same file, grants the time of a shutdown, and has no secrets', () => {
  const [, file] = JSON.parse(instruction('CMD', dockerfile));
  expect(unit.valuesOf('ExecStart')).toEqual([`/usr/bin/node /opt/portico-dashboard/${file}`]);
  const drainMs = /DRAIN_MS = ([\d_]+)/.exec(readFileSync(join(example, 'server/listen.ts'), 'utf8'))?.[1];
  expect(Number(unit.valuesOf('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(
    Number(drainMs?.replace('_', '')),
  );
  expect(unit.text).not.toMatch(/^Environment=.*(KEY|SECRET)/m);
  expect(unit.valuesOf('EnvironmentFile')).toEqual(['/etc/portico/dashboard.env']);
});

itIsAccepted('portico-dashboard.service', unit.text);
