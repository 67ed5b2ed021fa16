import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { readDockerfile, type Stage, type Step } from './dockerfile.ts';
import { root } from './files.ts';

/** Of a program that is started: by then it has been asked and ended. */
const PATIENCE_MS = 60_000;

/**
 * Carries the Dockerfile out without Docker: each stage is a folder, COPY copies, RUN runs. What comes of it is started as the
 * image would be, by a user without rights over files that nobody may write, and asked. Ends with 1 where that fails.
 */
const building = mkdtempSync(join(tmpdir(), 'portico-image-'));
process.on('exit', () => rmSync(building, { recursive: true, force: true }));
execFileSync('chmod', ['755', building]);

const stages = readDockerfile();
for (const [n, stage] of stages.entries()) build(stage, folderOf(n));
const app = join(folderOf(stages.length - 1), 'app');
execFileSync('chmod', ['-R', 'a-w', app]);
console.log(`the image holds ${execFileSync('du', ['-sh', app], { encoding: 'utf8' }).split('\t')[0]}`);
await serve(stages.at(-1)?.steps ?? [], app);

function folderOf(stage: number | string): string {
  const index = typeof stage === 'number' ? stage : stages.findIndex(({ name }) => name === stage);
  return join(building, String(index));
}

function build({ steps }: Stage, folder: string): void {
  let work = folder;
  for (const step of steps) {
    if (step.keyword === 'WORKDIR') {
      work = join(folder, step.text);
      mkdirSync(work, { recursive: true });
    } else if (step.keyword === 'COPY') copy(step, work);
    else if (step.keyword === 'RUN') runIn(work, step.text);
  }
}

function copy({ args, source }: Step, work: string): void {
  const target = args.at(-1) ?? '';
  for (const path of args.slice(0, -1)) {
    const from = source === null ? resolve(root, path) : join(folderOf(source), path);
    const into = target.endsWith('/') ? join(work, target, basename(path)) : join(work, target);
    cpSync(from, into, { recursive: true, verbatimSymlinks: true });
  }
}

/** The very same command has just been run in this folder, on the same lock file: what it made is what it would make. */
function runIn(work: string, command: string): void {
  console.log(`RUN ${command}`);
  if (process.env.CI && command === 'npm ci --no-audit --no-fund' && existsSync(join(root, 'node_modules'))) {
    return void execFileSync('cp', ['-al', join(root, 'node_modules'), work]);
  }
  execFileSync('sh', ['-c', command], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function serve(steps: readonly Step[], cwd: string): Promise<void> {
  const of = (keyword: string) => steps.find((step) => step.keyword === keyword);
  const set = Object.fromEntries((of('ENV')?.text ?? '').split(' ').map((pair) => pair.split('=')));
  const [uid, gid] = (of('USER')?.text ?? '').split(':').map(Number);
  const env = { PATH: process.env.PATH, ...set, PORT: '0' };
  // Who is not root already is without rights.
  const user = process.getuid?.() === 0 && uid !== undefined && gid !== undefined ? { uid, gid } : {};
  const start = (command: readonly string[], more = {}) => {
    const [file = '', ...args] = command;
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(file, args, {
      cwd,
      env: { ...env, ...more },
      ...user,
      stdio: [...stdio],
      timeout: PATIENCE_MS,
    });
    process.on('exit', () => child.kill('SIGKILL'));
    return child;
  };

  // The other program that the image holds, as compose.yaml runs it.
  const aside = { REFERENCE_ENVIRONMENT: 'test', REFERENCE_PORT: '0', DATABASE_URL: ':memory:' };
  const reference = start(['node', 'dist/reference/main.js'], aside);
  const gateway = start(of('CMD')?.args ?? [], { UPSTREAM_URL: await originOf(reference) });
  const end = once(gateway, 'exit');
  const origin = await originOf(gateway);
  const { status } = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bad-key-000000000000' },
    body: '{"query":"{ site(id: \\"SITE-1001\\") { city } }"}',
  });
  expectSame('an answer to a bad key', status, 403);
  const health = start(of('HEALTHCHECK')?.args ?? [], { PORT: new URL(origin).port });
  const [healthy] = await once(health, 'exit');
  expectSame('the end of the health check', healthy, 0);
  expectSame('whether a file can be written', canWrite(join(cwd, 'dist/new'), user), false);
  gateway.kill('SIGTERM');
  expectSame('the end after SIGTERM', (await end)[0], 0);
}

/** Where it says that it is ready; it fails where the process ends instead. */
async function originOf(child: ChildProcess): Promise<string> {
  const [said] = await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')]);
  return `http://127.0.0.1:${new URL(/http:\S+/.exec(String(said))?.[0] ?? '').port}`;
}

function canWrite(path: string, user: { uid?: number; gid?: number }): boolean {
  return spawnSync('touch', [path], { ...user, stdio: 'ignore' }).status === 0;
}

function expectSame(what: string, is: unknown, must: unknown): void {
  console.log(`${what}: ${String(is)}`);
  if (is !== must) {
    console.error(`${what} must be ${String(must)}`);
    process.exit(1);
  }
}
