import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { noPretenuring } from '../../src/cluster/memory.ts';

it('uses a flag that V8 supports', () => {
  // V8 rejects an unknown flag on the command line, and ignores one that is set later.
  const { status, stderr } = spawnSync(process.execPath, [noPretenuring, '--eval', ''], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(spawnSync(process.execPath, [`${noPretenuring}-at-all`, '--eval', '']).status).not.toBe(0);
});
