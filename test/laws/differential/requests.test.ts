import { it } from 'vitest';
import { bodyCases } from './bodies.ts';
import { expectSame, timeout } from './comparison.ts';
import { acceptCases, headCases } from './heads.ts';

it('answers every kind of body like the full pipeline', { timeout }, async () => {
  await expectSame(bodyCases, 150);
});

it('answers every Accept header like the full pipeline', { timeout }, async () => {
  await expectSame(acceptCases, 150);
});

it('answers every kind of head like the full pipeline', { timeout }, async () => {
  await expectSame(headCases, 300);
});
