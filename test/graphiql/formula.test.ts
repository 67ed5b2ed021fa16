import { expect, it } from 'vitest';
import { hintsFrom } from '../../graphiql/cost/plan/hints.ts';
import type { PlannedCall } from '../../graphiql/cost/types.ts';
import { type Cost, formulaOf } from '../../src/features/explain/cost.ts';

const call = (field: string, forEach?: string): PlannedCall => ({
  method: 'GET',
  path: '/v1/site/{id}',
  fields: [field, `${field}.clients`],
  ...(forEach !== undefined && { forEach }),
});

it.each<[string, Pick<Cost, 'known' | 'forEach'>]>([
  ['sites', { known: 0, forEach: [{ list: 'sites', calls: 1 }] }],
  [
    '2 + a.sites + b.sites + b.others',
    {
      known: 2,
      forEach: [
        { list: 'a.sites', calls: 1 },
        { list: 'b.sites', calls: 1 },
        { list: 'b.others', calls: 1 },
      ],
    },
  ],
])('writes the cost %s', (text, cost) => {
  expect(formulaOf({ ...cost, limit: 50 })).toBe(text);
});

it('puts the cost of a call beside the first of its fields', () => {
  const calls = [call('a'), call('b'), call('b'), call('c.sites.site', 'c.sites')];
  expect([...hintsFrom(calls)]).toEqual([
    ['a', '1 call'],
    ['b', '2 calls'],
    ['c.sites.site', '1 call × sites'],
  ]);
});
