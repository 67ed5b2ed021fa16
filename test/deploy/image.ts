import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, textOf } from '../support/files.ts';
import { instruction, readBuildContext } from './files.ts';

/** By then a process has started, has been tested and has ended. */
const TIMEOUT_MS = 60_000;

/**
 * Tests the content of the image without Docker: runs deploy/build.sh, as the Dockerfile does, on the files
 * of the build context alone, then starts the result as the image would, as an unprivileged user on read-only
 * files. Exits with 1 on a failure.
 */
const folder = mkdtempSync(join(tmpdir(), 'portico-image-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const [context, app] = [join(folder, 'context'), join(folder, 'app')];
for (const path of readBuildContext()) cpSync(join(root, path), join(context, path), { recursive: true });
// As `npm ci` has just installed them.
execFileSync('cp', ['-al', join(root, 'node_modules'), context]);
execFileSync('sh', [join(context, 'deploy/build.sh'), app], { stdio: ['ignore', 'ignore', 'inherit'] });
execFileSync('chmod', ['755', folder]);
execFileSync('chmod', ['-R', 'a-w', app]);
const [served, published] = [app, root].map((base) =>
  readFileSync(join(base, 'schema.graphql'), 'utf8').trimEnd(),
);
expectSame('schema.graphql is the published schema', served === published, true);
const { components } = JSON.parse(readFileSync(join(app, 'dist/sbom.cdx.json'), 'utf8')) as {
  components: { 'bom-ref': string; purl: string }[];
};
const named = new Set(components.map((component) => component['bom-ref']));
const { packages } = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8'));
const unnamed = Object.keys(packages).filter((path) => !named.has(path));
expectSame('packages that the SBOM lacks', unnamed.join(), '');
const { version } = JSON.parse(textOf('node_modules/undici/package.json'));
expectSame(
  'the SBOM has undici',
  components.some(({ purl }) => purl === `pkg:npm/undici@${version}`),
  true,
);
expectSame('undici is installed', 'node_modules/undici' in packages, false);
expectSame('the image has the notices', existsSync(join(app, 'dist/THIRD-PARTY-NOTICES')), true);
console.log(`the image holds ${execFileSync('du', ['-sh', app], { encoding: 'utf8' }).split('\t')[0]}`);

const [uid, gid] = instruction('USER').split(':').map(Number);
// Any other user than root is unprivileged already.
const user = process.getuid?.() === 0 && uid !== undefined && gid !== undefined ? { uid, gid } : {};
const env = {
  PATH: process.env.PATH,
  ...Object.fromEntries(
    instruction('ENV')
      .split(' ')
      .map((pair) => pair.split('=')),
  ),
  PORT: '0',
};

// The other program in the image, as compose.yaml runs it.
const reference = start(['node', 'dist/reference/main.js'], {
  REFERENCE_PORT: '0',
  NODE_ENV: 'test',
  REFERENCE_DATABASE_URL: ':memory:',
});
const settings = { UPSTREAM_URL: await originOf(reference), GRAPHIQL: 'on' };
const gateway = start(JSON.parse(instruction('CMD')), settings);
const exited = once(gateway, 'exit');
const origin = await originOf(gateway);
const { status } = await fetch(`${origin}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': 'bad-key-000000000000' },
  body: '{"query":"{ site(id: \\"SITE-1001\\") { city } }"}',
});
expectSame('status with an unknown key', status, 403);
const page = await (await fetch(`${origin}/graphql`, { headers: { accept: 'text/html' } })).text();
const script = /src="(graphiql\/[^"]+)"/.exec(page)?.[1] ?? '';
expectSame('status of the script of GraphiQL', (await fetch(`${origin}/${script}`)).status, 200);
const health = start(JSON.parse(instruction('HEALTHCHECK')), { PORT: new URL(origin).port });
expectSame('exit code of the health check', (await once(health, 'exit'))[0], 0);
expectSame('files are writable', canWrite(join(app, 'dist/new')), false);
gateway.kill('SIGTERM');
expectSame('exit code after SIGTERM', (await exited)[0], 0);
reference.kill('SIGTERM');

function start([file = '', ...args]: string[], settings: Record<string, string>): ChildProcess {
  const child = spawn(file, args, {
    cwd: app,
    env: { ...env, ...settings },
    ...user,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
  });
  process.on('exit', () => child.kill('SIGKILL'));
  return child;
}

/** The origin that the process prints once it is ready; rejects if the process exits instead. */
async function originOf(child: ChildProcess): Promise<string> {
  const [printed] = await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')]);
  return `http://127.0.0.1:${new URL(/http:\S+/.exec(String(printed))?.[0] ?? '').port}`;
}

function canWrite(path: string): boolean {
  return spawnSync('touch', [path], { ...user, stdio: 'ignore' }).status === 0;
}

function expectSame(what: string, actual: unknown, expected: unknown): void {
  console.log(`${what}: ${String(actual)}`);
  if (actual === expected) return;
  console.error(`${what} must be ${String(expected)}`);
  process.exit(1);
}
