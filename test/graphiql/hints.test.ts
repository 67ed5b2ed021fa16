import { expect, it } from 'vitest';
import { hintsFrom } from '../../graphiql/cost/plan/hints.ts';
import type { PlannedCall } from '../../graphiql/cost/types.ts';

const call = (field: string, forEach?: string): PlannedCall => ({
  method: 'GET',
  path: '/v1/site/{id}',
  fields: [field, `${field}.clients`],
  ...(forEach !== undefined && { forEach }),
});

it('puts the cost of a call beside the first of its fields', () => {
  const calls = [call('a'), call('b'), call('b'), call('c.sites.site', 'c.sites')];
  expect([...hintsFrom(calls)]).toEqual([
    ['a', '1 call'],
    ['b', '2 calls'],
    ['c.sites.site', '1 call × sites'],
  ]);
});
