import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgress } from '../../../reference/transfer/progress.ts';

it('is a bar on a terminal for an import, and shows the cursor again', () => {
  const out = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  const progress = createProgress(1_000, out);
  progress.update(7, 500);
  progress.stop();
  const drawn = String(out.read());
  expect(drawn).toMatch(/░+ 0% \| 0 lines/);
  // Redraws are throttled, and there is one at the end.
  expect(drawn).toMatch(/█+░+ 50% \| 7 lines/);
  expect([drawn.includes('\u001b[?25l'), drawn.includes('\u001b[?25h')]).toEqual([true, true]);
});
