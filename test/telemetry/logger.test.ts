import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createLines } from '../support/lines.ts';

const run = promisify(execFile);
const file = pathToFileURL(resolve(import.meta.dirname, '../../src/telemetry/logs/logger.ts'));

/** The standard error of a process that logs many lines and then runs `last`. */
async function written(last: string): Promise<string> {
  const script = `
    const { startLogger } = await import('${file}');
    const logger = await startLogger('info');
    for (let n = 0; n < 1000; n += 1) logger.info({ n, text: 'x'.repeat(n % 100) }, 'message');
    ${last}
  `;
  const { stderr } = await run(process.execPath, [
    ...['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script],
  ]).catch((failure: { stderr: string }) => failure);
  return stderr;
}

it.each([
  ['ends', ''],
  ['is ended', 'process.exit(1)'],
  ['crashes', 'throw new Error("a crash")'],
])('has written all lines when the process %s', async (_, last) => {
  const lines = (await written(last)).split('\n').filter((line) => line.startsWith('{'));
  const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n);
  // Those that were being written at a crash may come last.
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
});

it('redacts secrets by property name', () => {
  const { logger, written } = createLines();
  logger.warn({ 'x-api-key': 'k', authorization: 'a', variables: { id: 1 }, body: 'b', other: 1 }, 'message');
  expect(JSON.parse(written[0] ?? '')).toMatchObject({
    'x-api-key': '[redacted]',
    authorization: '[redacted]',
    variables: '[redacted]',
    body: '[redacted]',
    other: 1,
  });
});
