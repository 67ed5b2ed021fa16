import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makeFolder } from './manifest.ts';
import { freePort, isListening } from './ports.ts';

const deploy = resolve(import.meta.dirname, '../../deploy');

/** The shipped configuration of HAProxy. */
export const haproxyFile = join(deploy, 'haproxy/haproxy.cfg');

export const hasHaproxy = isInstalled('haproxy');
export const hasNginx = isInstalled('nginx') && isInstalled('openssl', 'version');

function isInstalled(program: string, option = '-v'): boolean {
  if (spawnSync(program, [option]).status === 0) return true;
  console.warn(`skipped: there is no ${program} to test the files of deploy/ with`);
  return false;
}

export interface Balancer {
  origin: string;
  pid: number;
  /** All that it has logged. */
  log(): string;
}

/** Removes `http://`. */
const addressOf = (origin: string) => new URL(origin).host;

/**
 * HAProxy with the shipped file as it is, in front of the gateways at these origins: four take the places
 * that the file has, further ones get lines of the same form.
 */
export async function startHaproxy(
  origins: readonly string[],
  env: Record<string, string> = {},
): Promise<Balancer> {
  const port = await freePort();
  const [places, more] = [origins.slice(0, 4), origins.slice(4)];
  const servers = more.map((origin, n) => `  server gateway-${n + 5} ${addressOf(origin)}\n`);
  const file = join(await makeFolder(), 'haproxy.cfg');
  await writeFile(file, readFileSync(haproxyFile, 'utf8') + servers.join(''));
  const gateways = places.map((origin, n) => [`GATEWAY_${n + 1}`, addressOf(origin)]);
  return start('haproxy', ['-db', '-f', more.length > 0 ? file : haproxyFile], port, {
    scheme: 'CERTIFICATE' in env ? 'https' : 'http',
    env: { BIND: `127.0.0.1:${port}`, ...Object.fromEntries(gateways), ...env },
  });
}

/**
 * nginx as its package configures it, with one location that passes all requests on to this origin by
 * `proxy_pass` alone: it buffers responses, and sends HTTP/1.0.
 */
export async function startPlainNginx(origin: string, directives = ''): Promise<Balancer> {
  const [folder, port] = [await makeFolder(), await freePort()];
  const location = `location / { proxy_pass ${origin}; ${directives} }`;
  const server = `server { listen 127.0.0.1:${port}; ${location} }`;
  return runNginx(folder, `access_log off; ${server}`, port, { scheme: 'http', env: {} });
}

/** nginx with the shipped file, in which only ports and paths are replaced, in front of four gateways. */
export async function startNginx(origins: readonly string[]): Promise<Balancer> {
  const folder = await makeFolder();
  const [port, certificate] = [await freePort(), await makeCertificate()];
  let text = readFileSync(join(deploy, 'nginx/portico.conf'), 'utf8');
  const replace = (from: string, to: string) => {
    expect(text).toContain(from);
    text = text.replace(from, to);
  };
  origins.forEach((origin, n) => {
    replace(`server 127.0.0.1:400${n + 1} `, `server ${addressOf(origin)} `);
  });
  replace('listen 443 ', `listen 127.0.0.1:${port} `);
  replace('/etc/nginx/portico.pem', certificate);
  replace('/etc/nginx/portico.key', certificate);
  const accessLog = join(folder, 'access.log');
  replace('/var/log/nginx/portico.log', accessLog);
  replace('/var/log/nginx/portico-error.log', 'stderr');
  await writeFile(join(folder, 'portico.conf'), text);
  return runNginx(folder, `include ${folder}/portico.conf;`, port, {
    scheme: 'https',
    env: {},
    logFile: accessLog,
  });
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

/** A PEM file with a key and its self-signed certificate. */
export async function makeCertificate(): Promise<string> {
  const file = join(await makeFolder(), 'portico.pem');
  const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost';
  const made = execFileSync('openssl', [...options.split(' '), '-keyout', '-', '-out', '-'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await writeFile(file, made);
  return file;
}

async function start(
  program: string,
  args: string[],
  port: number,
  { scheme, env, logFile }: StartOptions,
): Promise<Balancer> {
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
    pid: child.pid ?? 0,
    log: () => log + (logFile ? readFileSync(logFile, 'utf8') : ''),
  };
}
