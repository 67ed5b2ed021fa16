/**
 * `npm run dashboard` in the project's folder: builds this example, and starts a gateway with the embedded
 * reference and the dashboard in front of it. With `UPSTREAM_URL`, that REST API takes the place of the reference, with
 * the key in `PORTICO_API_KEY`. With `-- --dev`, changes of the dashboard are on screen at once.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = import.meta.dirname;
const project = join(folder, '../..');
const isDev = process.argv.includes('--dev');
const { PORT = '8080', UPSTREAM_URL, PORTICO_API_KEY } = process.env;

if (UPSTREAM_URL && !PORTICO_API_KEY) {
  console.error('UPSTREAM_URL is set: set PORTICO_API_KEY to a key of that REST API');
  process.exit(1);
}

if (!isDev) npm('run', 'build');
const gateway = start(project, ['dist/main.js'], {
  PORT: process.env.GATEWAY_PORT ?? '0',
  LOG_LEVEL: 'warn',
  LIVE: 'on',
  // In production there is no demo.
  NODE_ENV: '',
  TRUSTED_DOCUMENTS: join(folder, 'src/generated/persisted-documents.json'),
});
const { url, key } = await demoOf(gateway);
console.log(`gateway at ${url}`);
start(folder, ['--import', 'tsx', isDev ? 'server/dev.ts' : 'server/main.ts'], {
  PORT,
  GATEWAY_URL: url,
  PORTICO_API_KEY: key,
}).stdout?.pipe(process.stdout);

function npm(...args: string[]): void {
  const env = { ...process.env, NODE_ENV: 'production', VITE_TRUSTED_DOCUMENTS: 'on' };
  execFileSync('npm', args, { cwd: folder, env, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** Starts a program. When one ends, all do. */
function start(cwd: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.on('exit', (code) => process.exit(code ?? 1));
  process.on('exit', () => child.kill());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
  return child;
}

/** The address of a gateway that starts, and the key of its demo data, or of another REST API. */
function demoOf({ stdout }: ChildProcess): Promise<{ url: string; key: string }> {
  if (!stdout) throw new Error('The gateway has no output.');
  let url = '';
  return new Promise((resolve) => {
    createInterface(stdout).on('line', (line) => {
      url ||= /^ready at (\S+)/.exec(line)?.[1] ?? '';
      const key = UPSTREAM_URL ? PORTICO_API_KEY : /^demo key: (\S+)/.exec(line)?.[1];
      if (url && key) resolve({ url, key });
    });
  });
}
