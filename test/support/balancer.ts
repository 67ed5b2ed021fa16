import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { hasOpenssl, makeCertificate } from './certificate.ts';
import { isInstalled, root } from './files.ts';
import { makeFolder } from './manifest.ts';
import { freePort, isListening } from './ports.ts';

const deploy = join(root, 'deploy');

/** The shipped configuration of HAProxy. */
export const haproxyFile = join(deploy, 'haproxy/haproxy.cfg');

export const hasHaproxy = isInstalled('haproxy', '-v');
export const hasNginx = isInstalled('nginx', '-v') && hasOpenssl;

export interface Balancer {
  origin: string;
  log(): string;
}

const addressOf = (origin: string) => new URL(origin).host;

/** Replaces parts of a shipped file, each of which must be there. */
function replaceAll(text: string, parts: readonly (readonly [from: string | RegExp, to: string])[]): string {
  return parts.reduce((changed, [from, to]) => {
    expect(changed).toMatch(from);
    return changed.replace(from, to);
  }, text);
}

interface HaproxyOptions {
  env?: Record<string, string>;
  /** Texts to replace in the file beside the gateways. */
  parts?: readonly (readonly [from: string | RegExp, to: string])[];
}

/** HAProxy with the shipped file, in which the lines of the gateways name these, each with its own id. */
export async function startHaproxy(
  origins: readonly string[],
  { env = {}, parts = [] }: HaproxyOptions = {},
): Promise<Balancer> {
  const [port, file] = [await freePort(), join(await makeFolder(), 'haproxy.cfg')];
  const servers = origins.map((origin, n) => `  server gateway-${n + 1} ${addressOf(origin)} id ${n + 1}\n`);
  const lines = [/(^ +server gateway-.*\n)+/m, servers.join('')] as const;
  await writeFile(file, replaceAll(readFileSync(haproxyFile, 'utf8'), [...parts, lines]));
  return start('haproxy', ['-W', '-db', '-f', file], port, {
    scheme: 'CERTIFICATE' in env ? 'https' : 'http',
    env: { BIND: `127.0.0.1:${port}`, ...env },
  });
}

/** nginx with nothing but `proxy_pass`: it buffers responses, and sends HTTP/1.0. */
export async function startPlainNginx(origin: string) {
  const [folder, port] = [await makeFolder(), await freePort()];
  const server = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${origin}; } }`;
  return runNginx(folder, `access_log off; ${server}`, port, { scheme: 'http', env: {} });
}

/** nginx with the shipped file, in which only the gateways, ports and paths are replaced. */
export async function startNginx(
  origins: readonly string[],
  { parts = [] }: HaproxyOptions = {},
): Promise<Balancer> {
  const folder = await makeFolder();
  const [port, certificate] = [await freePort(), await makeCertificate()];
  const [file, logFile] = [join(folder, 'portico.conf'), join(folder, 'access.log')];
  const servers = origins.map((origin) => `  server ${addressOf(origin)} max_fails=1 fail_timeout=2s;\n`);
  const text = replaceAll(readFileSync(join(deploy, 'nginx/portico.conf'), 'utf8'), [
    ...parts,
    [/( +server 127\.0\.0\.1:400\d max_fails=1 fail_timeout=2s;\n){4}/, servers.join('')],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['/etc/nginx/portico.pem', certificate],
    ['/etc/nginx/portico.key', certificate],
    ['/var/log/nginx/portico.log', logFile],
    ['/var/log/nginx/portico-error.log crit', 'stderr crit'],
  ]);
  await writeFile(file, text);
  return runNginx(folder, `include ${file};`, port, { scheme: 'https', env: {}, logFile });
}

/** nginx with this in its block `http`. */
async function runNginx(folder: string, http: string, port: number, options: StartOptions) {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `${user} daemon off; worker_processes 2; pid ${folder}/pid; error_log stderr;
    events {} http { ${temporary.join(' ')} ${http} }`,
  );
  return start('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], port, options);
}

interface StartOptions {
  scheme: string;
  env: Record<string, string>;
  logFile?: string;
}

async function start(program: string, args: string[], port: number, { scheme, env, logFile }: StartOptions) {
  const child = spawn(program, args, { env: { PATH: process.env.PATH ?? '', ...env } });
  const exited = once(child, 'exit');
  let log = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (log += text));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  while (!(await isListening(port)))
    if (child.exitCode !== null) throw new Error(`${program} exited with ${child.exitCode}: ${log}`);
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    log: () => log + (logFile ? readFileSync(logFile, 'utf8') : ''),
  };
}
