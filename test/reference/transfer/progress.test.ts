import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../src/reference/transfer/progress.ts';

const outputOf = (isTTY: boolean) => Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });

describe('the progress of an import', () => {
  it('is a bar on a terminal, and shows the cursor again', () => {
    const out = outputOf(true);
    const progress = createProgress(1_000, out);
    progress.update(7, 500);
    progress.stop();
    const drawn = String(out.read());
    expect(drawn).toMatch(/░+ 0% \| 0 lines/);
    // Redraws are throttled, and there is one at the end.
    expect(drawn).toMatch(/█+░+ 50% \| 7 lines/);
    expect([drawn.includes('\u001b[?25l'), drawn.includes('\u001b[?25h')]).toEqual([true, true]);
  });

  it('is a line per 10,000 lines elsewhere', () => {
    const out = outputOf(false);
    const progress = createProgress(1_000, out);
    for (let line = 1; line <= 25_000; line += 1) progress.update(line, line);
    progress.stop();
    expect(out.read()).toBe('10000 lines read\n20000 lines read\n');
  });
});
