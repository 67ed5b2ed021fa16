import { expect, it } from 'vitest';
import { countMade, durationText, styleOf } from '../../graphiql/cost/report/waterfall.ts';
import type { ReportedCall } from '../../graphiql/cost/types.ts';

const call = (startedMs: number, durationMs: number, source = 'network'): ReportedCall => ({
  method: 'GET',
  path: '/v1/health',
  source,
  status: 200,
  startedMs,
  durationMs,
  fields: [],
});

it.each([
  [0.04, '0.0 ms'],
  [9.94, '9.9 ms'],
  [12.4, '12 ms'],
  [1234, '1.23 s'],
])('writes %d ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it('has a colour for each source, and one for every call that was not made', () => {
  expect(['cache', 'rate-limited'].map(styleOf)).toEqual(['portico-cache', 'portico-not-made']);
  expect(countMade([call(0, 1), call(0, 1, 'stale'), call(0, 1, 'queue-full')])).toBe(2);
});
