import { expect, it } from 'vitest';
import { reservedMs } from '../../src/upstream/polls/rate-limit-fields.ts';

it.each([
  ['more than a fifth', '"key";r=21;t=30', '"key";q=100;w=60', 0],
  ['a fifth', '"key";r=20;t=30', '"key";q=100;w=60', 0],
  ['less than a fifth', '"key";r=19;t=30', '"key";q=100;w=60', 30_000],
  [
    'the longest of several limits',
    '"a";r=1;t=5, "b";r=1;t=50, "c";r=90;t=99',
    '"a";q=10,"b";q=10, "c";q=100',
    50_000,
  ],
  ['parameters in another order', 'key;t=30;r=1', 'key;w=60;q=100', 30_000],
  ['a limit without a quota', '"key";r=1;t=30', undefined, 0],
  ['an empty limit without a quota', '"key";r=0;t=30', undefined, 30_000],
  ['the quota of another limit', '"key";r=1;t=30', '"other";q=100', 0],
  ['an absurd time', '"key";r=0;t=99999999', undefined, 3_600_000],
  ['no time', '"key";r=0', undefined, 0],
  ['something else', 'limit=100, remaining=0, reset=30', '100;w=60', 0],
  ['an empty field', '', '', 0],
  ['no field', undefined, undefined, 0],
])('reads %s', (_, limit, policy, ms) => {
  expect(reservedMs({ ratelimit: limit, 'ratelimit-policy': policy })).toBe(ms);
});
