import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { heapFlags } from '../src/heap.ts';

it.each(heapFlags)('uses %s, which V8 supports', (flag) => {
  // V8 rejects an unknown flag on the command line, and reports one that is set later on standard error.
  const { status, stderr } = spawnSync(process.execPath, [flag, '--eval', ''], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const [name] = flag.split('=');
  expect(spawnSync(process.execPath, [`${name}-at-all`, '--eval', '']).status).not.toBe(0);
});
