import { expect, it } from 'vitest';
import { forecastOf, viewingFrom } from '../../graphiql/cost/plan/forecast.ts';

const dashboard = { known: 1, forEach: [{ list: 'sites', calls: 2 }], limit: 50 };

it('takes the polls of a live query from its plan', () => {
  const live = { everySeconds: 30, callsPerMinute: 2, atMostPerMinute: 60, limitPerMinute: 60 };
  const { live: polls } = forecastOf({ cost: dashboard, live }, { viewers: 40, everyMs: 30_000 });
  expect(polls).toEqual({ known: 2, atMost: 60 });
});

it('reads the two fields', () => {
  expect(viewingFrom('5', '200')).toEqual({ viewers: 200, everyMs: 5000 });
  expect(viewingFrom('0.5', '100000')).toEqual({ viewers: 100_000, everyMs: 500 });
});

it.each([
  ['', '200'],
  ['0.4', '200'],
  ['86401', '200'],
  ['5', '0'],
  ['5', '1.5'],
  ['5', '100001'],
])('reads neither %j seconds with %j viewers', (seconds, viewers) => {
  expect(viewingFrom(seconds, viewers)).toBeUndefined();
});
