import { it } from 'vitest';
import { acceptCases } from './accepts.ts';
import { bodyCases } from './bodies.ts';
import { expectSame, timeout } from './corpus.ts';
import { headCases } from './heads.ts';

it('answers every kind of body like the full pipeline', { timeout }, async () => {
  await expectSame(bodyCases, 150);
});

it('answers every Accept header like the full pipeline', { timeout }, async () => {
  await expectSame(acceptCases, 200);
});

it('answers every kind of head like the full pipeline', { timeout }, async () => {
  await expectSame(headCases, 300);
});
