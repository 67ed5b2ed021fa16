import { it } from 'vitest';
import { acceptCases } from './accepts.ts';
import { bodyCases } from './bodies.ts';
import { expectSame, timeout } from './corpus.ts';
import { headCases } from './heads.ts';

it('answers bodies of every kind as without the lane', { timeout }, async () => {
  await expectSame(bodyCases, 150);
});

it('answers whatever a caller accepts as without the lane', { timeout }, async () => {
  await expectSame(acceptCases, 200);
});

it('answers heads of every kind as without the lane', { timeout }, async () => {
  await expectSame(headCases, 300);
});
