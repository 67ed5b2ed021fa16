import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { programPath } from '../../support/process.ts';
import { bodyOf, send } from '../../support/wire.ts';

/** The URL of a file of `src/features/`. */
const source = (file: string) =>
  pathToFileURL(resolve(import.meta.dirname, '../../../src/features', file)).href;

/** The arguments with which Node runs a script that imports such files. */
const argumentsFor = (script: string) => [
  ...['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script],
];

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A pipe in the file system, with a reader that reads nothing. */
function openPipe() {
  const path = join(createFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { path, reader, writer: openSync(path, 'w') };
}

/** Runs a program with this standard error. */
function startOn(stderr: number, args: readonly string[]) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', PORT: '0', UPSTREAM_URL: 'http://127.0.0.1:9' },
    stdio: ['pipe', 'pipe', stderr],
  });
  closeSync(stderr);
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('spawn has opened no pipes');
  return { child, stdin, stdout };
}

/** A gateway with this standard error, and a function that sends so many requests, which must all succeed. */
async function startGatewayOn(stderr: number) {
  const { child, stdout } = startOn(stderr, [programPath('main.ts')]);
  const [ready] = await once(stdout, 'data');
  const [, origin = ''] = /^ready at (\S+)\/graphql\n$/.exec(String(ready)) ?? [];
  const headers = { 'content-type': 'application/json', 'x-api-key': 'test-key-0123456789abcdef' };
  const body = bodyOf('{ __typename }');
  return {
    async request(requestId: string, count = 1): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        const { status } = await send(origin, { headers: { ...headers, 'x-request-id': requestId }, body });
        expect(status).toBe(200);
      }
    },
    async stop(): Promise<unknown> {
      child.kill('SIGTERM');
      return (await once(child, 'exit'))[0];
    },
  };
}

it('serves requests, and exits with 0, while the log is on a full device', async () => {
  const gateway = await startGatewayOn(openSync('/dev/full', 'w'));
  await gateway.request('before', 100);
  expect(await gateway.stop()).toBe(0);
});

it('serves requests, and exits with 0, while the reader of the log has stopped', async () => {
  const { writer, reader } = openPipe();
  onTestFinished(() => closeSync(reader));
  const gateway = await startGatewayOn(writer);
  // More than a pipe takes.
  await gateway.request('before', 300);
  expect(await gateway.stop()).toBe(0);
});

it('loses no line on SIGTERM while the reader of the log is slow', async () => {
  const { path, reader, writer } = openPipe();
  const gateway = await startGatewayOn(writer);
  // More than a pipe takes without a reader.
  for (let n = 0; n < 500; n += 1) await gateway.request(`r-${n}`);
  const stopped = gateway.stop();
  const input = createReadStream(path);
  await once(input, 'open');
  closeSync(reader);
  const lines = (await text(input)).trim().split('\n');
  const ids = lines.map((line) => String(JSON.parse(line).requestId)).filter((id) => id.startsWith('r-'));
  expect(ids).toEqual(Array.from({ length: 500 }, (_, n) => `r-${n}`));
  expect(await stopped).toBe(0);
});

it('buffers 16 MiB for a reader that has stopped, and counts the lines beyond', async () => {
  const { path, reader, writer } = openPipe();
  const script = `
    const { droppedLines, startLogger } = await import('${source('logs/log.ts')}');
    const { createMetrics } = await import('${source('metrics/metrics.ts')}');
    const metrics = createMetrics();
    metrics.start([droppedLines], []);
    const logger = startLogger('info');
    for (let n = 0; n < 20_000; n += 1) logger.info({ n, text: 'x'.repeat(1000) }, 'message');
    const { values } = await metrics.registry.getSingleMetric('portico_log_lines_dropped_total').get();
    console.log(values[0].value);
    // Until standard input ends.
    process.stdin.resume();
  `;
  const { stdin, stdout } = startOn(writer, argumentsFor(script));
  const dropped = Number(await once(stdout, 'data'));
  expect(dropped).toBeGreaterThan(1000);
  expect(dropped).toBeLessThan(10_000);
  const input = createReadStream(path);
  await once(input, 'open');
  closeSync(reader);
  const numbers: number[] = [];
  for await (const line of createInterface(input)) {
    numbers.push(JSON.parse(line).n);
    if (numbers.length === 20_000 - dropped) stdin.end();
  }
  expect(numbers).toEqual(Array.from({ length: 20_000 - dropped }, (_, n) => n));
});

/** The standard error of a process that logs many lines and then runs `last`. */
function written(last: string): string {
  const script = `
    const { startLogger } = await import('${source('logs/log.ts')}');
    const logger = startLogger('info');
    for (let n = 0; n < 1000; n += 1) logger.info({ n, text: 'x'.repeat(n % 100) }, 'message');
    ${last}
  `;
  const { stderr } = spawnSync(process.execPath, argumentsFor(script), { encoding: 'utf8' });
  return stderr;
}

it.each([
  ['ends', ''],
  ['crashes', 'throw new Error("a crash")'],
])('has written all lines when the process %s', (_, last) => {
  const lines = written(last).match(/^\{.*$/gm) ?? [];
  const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n);
  // Those that were being written at a crash may come last.
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
});

const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
if (!hasScript) console.warn('skipped: lines for a terminal, for "script" of util-linux is not installed');

it.skipIf(!hasScript)('writes coloured text to a terminal', () => {
  const program = `
    const { startLogger } = await import('${source('logs/log.ts')}');
    const log = startLogger('info');
    log.info({ event: 'operation', requestId: 'r-1' }, 'operation');
  `;
  const command = [process.execPath, ...argumentsFor(program)].map((word) => `"${word}"`).join(' ');
  const { stdout } = spawnSync('script', ['-qefc', command, '/dev/null'], { encoding: 'utf8', input: '' });
  // Without the escape sequences of colours.
  const text = stdout.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '').trim();
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: operation \{/);
  expect(text).toContain('"requestId":"r-1"');
  expect(() => JSON.parse(text)).toThrow();
});
