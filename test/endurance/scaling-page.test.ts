import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { hasHaproxy, makeCertificate } from '../support/balancer.ts';
import { makeFolder } from '../support/manifest.ts';
import { freePort } from '../support/ports.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

/*
 * The commands of docs/scaling.md, "Several processes on one machine", as they are printed, but for paths, ports, the
 * address of the REST API and `systemctl`: that one starts the command of the unit with its environment, as
 * systemd does, without its sandbox.
 */

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** The blocks of commands of the section: the installation, and the restart in turn. */
async function commandsOfPage(): Promise<[install: string, restart: string]> {
  const page = await readFile(join(root, 'docs/scaling.md'), 'utf8');
  const [, section = ''] = /^## Several processes on one machine\n(.*?)^## /ms.exec(page) ?? [];
  const [install, restart, ...more] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, code = '']) => code,
  );
  expect(more).toEqual([]);
  return [install ?? '', restart ?? ''];
}

/** The values of lines `NAME=value` in a file that may be missing. */
async function environmentIn(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.includes('='));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)));
}

/** A `systemctl` for the units below `etc`; `bin` has the program, `env` what that needs. */
async function startSystemctl(etc: string) {
  const services = new Map<string, { child: ChildProcess; exited: Promise<unknown> }>();

  /** The command and environment of `portico@PORT`, by its unit, or of HAProxy, by Debian's. */
  async function processOf(service: string): Promise<{ command: string[]; env: Record<string, string> }> {
    if (service === 'haproxy') {
      const env = await environmentIn(join(etc, 'default/haproxy'));
      return { command: ['haproxy', '-db', '-f', join(etc, 'haproxy/haproxy.cfg')], env };
    }
    const [template = '', instance = ''] = service.split(/(?<=@)/);
    const unit = (await readFile(join(etc, `systemd/system/${template}.service`), 'utf8')).replaceAll(
      '%i',
      instance,
    );
    const valuesOf = (name: string) =>
      [...unit.matchAll(new RegExp(`^${name}=-?(.*)$`, 'gm'))].map(([, value = '']) => value);
    const words = valuesOf('Environment').flatMap((line) => line.split(' '));
    const files = valuesOf('EnvironmentFile').map((file) => environmentIn(file.replace(/^\/etc/, etc)));
    const [command = ''] = valuesOf('ExecStart');
    return {
      command: command.replace('/usr/bin/node', process.execPath).replace('/opt/portico', root).split(' '),
      env: Object.assign(
        Object.fromEntries(words.map((word) => word.split(/=(.*)/s))),
        ...(await Promise.all(files)),
      ),
    };
  }

  async function stop(service: string): Promise<void> {
    const running = services.get(service);
    running?.child.kill('SIGTERM');
    await running?.exited;
  }

  async function start(service: string): Promise<void> {
    const { command, env } = await processOf(service);
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: 'ignore',
    });
    services.set(service, { child, exited: once(child, 'exit') });
    await once(child, 'spawn');
  }

  const server = createServer(async (req, res) => {
    const [verb, ...rest] = (await text(req)).trim().split(' ');
    const names = rest.filter((word) => word !== '--now');
    if (verb !== 'enable' && verb !== 'restart') return res.writeHead(501).end();
    for (const name of names) {
      if (verb === 'restart') await stop(name);
      await start(name);
    }
    res.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const { child } of services.values()) child.kill('SIGKILL');
    await Promise.all([...services.values()].map(({ exited }) => exited));
  });
  const bin = await makeFolder();
  const { port } = server.address() as AddressInfo;
  const program = `#!/bin/sh\nexec curl -fsS --data "$*" http://127.0.0.1:${port}\n`;
  await writeFile(join(bin, 'systemctl'), program, { mode: 0o755 });
  return { bin };
}

it.skipIf(!hasHaproxy)(
  'installs four gateways behind HAProxy and restarts them in turn without a failed request, by the page',
  { timeout: 600_000 },
  async () => {
    const [install, restart] = await commandsOfPage();
    const folder = await makeFolder();
    const etc = join(folder, 'etc');
    for (const name of ['systemd/system', 'haproxy', 'default'])
      await mkdir(join(etc, name), { recursive: true });
    await cp(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    // The latency of the REST API keeps the load from taking the whole machine.
    const upstream = await startUpstream((req, res) =>
      setTimeout(() => sendJson(res, bareSite(siteFromPath(req.url ?? '').id)), 100),
    );

    const [bind, certificate] = [await freePort(), await makeCertificate()];
    const replaced: [from: string | RegExp, to: string][] = [
      ['https://partner-api.example.com', upstream.url],
      [':443', `127.0.0.1:${bind}`],
      ['/etc/haproxy/portico.pem', certificate],
      [/(?<= )\/etc\//g, `${etc}/`],
    ];
    const ports = await Promise.all(
      [4001, 4002, 4003, 4004].map(async (port) => [String(port), String(await freePort())] as const),
    );
    const withPorts = (script: string) =>
      ports.reduce((changed, [from, to]) => changed.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to), script);
    const config = join(folder, 'deploy/haproxy/haproxy.cfg');
    await writeFile(config, withPorts(await readFile(config, 'utf8')));
    const here = replaced.reduce((script, [from, to]) => script.replace(from, to), install);
    for (const [from] of replaced) expect(install).toMatch(from);

    const { bin } = await startSystemctl(etc);
    const options = { cwd: folder, env: { PATH: `${bin}:${process.env.PATH}` } };
    await run('sh', ['-e', '-c', withPorts(here)], options);

    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    onTestFinished(() => agent.destroy());
    const post = async (n: number) => {
      const { statusCode, body } = await request(`https://127.0.0.1:${bind}/graphql`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': `scaling-page-key-0123456789-${n}` },
        body: JSON.stringify({ query: `{ site(id: "SITE-${n}") { id } }` }),
      });
      return { statusCode, body: await body.text() };
    };
    // The commands that wait for a gateway, and for HAProxy to notice it.
    await run('sh', ['-e', '-c', withPorts(restart.replace(/.*systemctl.*\n/, ''))], options);
    await expect.poll(async () => (await post(0).catch(() => undefined))?.statusCode).toBe(200);

    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, n) => {
      let sent = 0;
      for (; !isOver; sent += 1) {
        expect(await post(n)).toEqual({ statusCode: 200, body: `{"data":{"site":{"id":"SITE-${n}"}}}` });
      }
      return sent;
    });
    const over = run('sh', ['-e', '-c', withPorts(restart)], options).finally(() => {
      isOver = true;
    });
    const sent = await Promise.all(load);
    await over;
    expect(Math.min(...sent)).toBeGreaterThan(8);
    expect(upstream.requests.length).toBeGreaterThan(8);
  },
);
