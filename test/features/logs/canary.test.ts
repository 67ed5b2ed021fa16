import { expect, it } from 'vitest';
import { createLogger } from '../../../src/features/logs/log.ts';
import { createFaultLog } from '../../../src/features/logs/log-lines.ts';
import { canary, openWithCanary } from '../../observers/canary.ts';
import { leaksOf } from '../../support/canary.ts';
import { createLines } from '../../support/lines.ts';

it('has no part of a key in any line, wherever the client sends it', async () => {
  const { close, written } = await openWithCanary();
  await close();
  expect(leaksOf(canary, written.join('\n'))).toEqual([]);
});

it('redacts the keys of active requests in the stack of a fault', () => {
  const { output, lines } = createLines();
  const logger = createLogger('info', output);
  createFaultLog(logger)(new Error(`cannot read ${canary.slice(2, 14)}`), ['another-key-at-work', canary]);
  createFaultLog(logger)(new Error('cannot read it'), [canary]);
  expect(lines[0]).toBe('fault: [redacted]');
  expect(lines[1]).toContain('cannot read it');
});

it('truncates the stack of a fault, which may quote a request', () => {
  const { output, lines } = createLines();
  const logger = createLogger('info', output);
  createFaultLog(logger)(new Error('x'.repeat(100_000)), []);
  expect(lines[0]?.length).toBeLessThan(8300);
  expect(lines[0]).toMatch(/^fault: Error: x+…$/);
});
