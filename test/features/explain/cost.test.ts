import { expect, it } from 'vitest';
import { type Cost, formulaOf } from '../../../src/features/explain/cost.ts';

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
