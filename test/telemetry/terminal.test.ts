import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const logger = pathToFileURL(resolve(import.meta.dirname, '../../src/telemetry/logs/logger.ts')).href;

/** Logs a line in another process, to a terminal that `script` provides. */
const program = `
  const { startLogger } = await import('${logger}');
  const log = await startLogger('info');
  log.info({ event: 'operation', requestId: 'r-1', 'x-api-key': 'not for people either' }, 'operation');
`;
const command = `'${process.execPath}' --import '${import.meta.resolve('tsx')}' --input-type=module --eval "${program}"`;

const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
if (!hasScript) console.warn('skipped: lines for a terminal, for "script" of util-linux is not installed');

it.skipIf(!hasScript)('writes coloured text to a terminal', () => {
  const { stdout } = spawnSync('script', ['-qefc', command, '/dev/null'], { encoding: 'utf8', input: '' });
  // Without the escape sequences of colours.
  const text = stdout.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '').trim();
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: operation \{/);
  expect(text).toContain('"requestId":"r-1"');
  expect(text).not.toContain('not for people');
  expect(() => JSON.parse(text)).toThrow();
});
