import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { calmFlag } from '../../src/process/memory.ts';

it('tells V8 something that it knows', () => {
  // An option that nobody knows is refused on the command line, and ignored where it is set later.
  const { status, stderr } = spawnSync(process.execPath, [calmFlag, '--eval', ''], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(spawnSync(process.execPath, [`${calmFlag}-at-all`, '--eval', '']).status).not.toBe(0);
});
