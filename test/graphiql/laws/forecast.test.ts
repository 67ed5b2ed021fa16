import { expect, it } from 'vitest';
import { forecastOf } from '../../../graphiql/cost/plan/forecast.ts';
import { Aborter } from '../../../src/rest/abort.ts';
import { type Done, UpstreamRequest } from '../../../src/rest/call.ts';
import { SiteTarget } from '../../../src/rest/resources.ts';
import { createSingleFlight } from '../../../src/rest/single-flight.ts';
import { createRandom } from '../../support/random.ts';
import { responseOf } from '../../support/response.ts';

/** Viewers who ask every so many seconds for a site, which takes a REST call of `latencyMs`. */
interface Mix {
  viewers: number;
  everySeconds: number;
  latencyMs: number;
}

const mixes = [
  [1, 5, 200],
  [2, 5, 200],
  [3, 10, 100],
  [5, 5, 50],
  [10, 5, 1000],
  [20, 15, 500],
  [50, 5, 100],
  [100, 30, 200],
  [200, 5, 200],
  [200, 20, 2000],
  [500, 60, 300],
  [1000, 10, 150],
].map(([viewers = 0, everySeconds = 0, latencyMs = 0]): Mix => ({ viewers, everySeconds, latencyMs }));

const INTERVALS = 8;
/** Until each viewer has asked, and the calls repeat. */
const UNCOUNTED = 2;

/**
 * The calls of a minute for one site, by the gateway's own coalescing: the viewers ask at phases that are drawn
 * anew so many times that some thousand viewers have asked.
 */
function simulateQueries({ viewers, everySeconds, latencyMs }: Mix, random: () => number): number {
  const everyMs = everySeconds * 1000;
  const draws = Math.ceil(1000 / viewers);
  const target = new SiteTarget('SITE-1', []);
  let count = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    const caller = { apiKey: '', keyHash: '', signal: new Aborter() };
    let inFlight: { endMs: number; done: Done } | undefined;
    let nowMs = 0;
    const send = createSingleFlight().layer((_, done) => {
      inFlight = { endMs: nowMs + latencyMs, done };
      if (nowMs >= UNCOUNTED * everyMs) count += 1;
    });
    const phases = Array.from({ length: viewers }, () => random() * everyMs).sort((a, b) => a - b);
    for (let interval = 0; interval < INTERVALS; interval += 1)
      for (const phase of phases) {
        nowMs = interval * everyMs + phase;
        if (inFlight && inFlight.endMs <= nowMs) inFlight.done(responseOf(200));
        send(new UpstreamRequest(caller, target), () => {});
      }
  }
  return count / draws / ((INTERVALS - UNCOUNTED) * (everySeconds / 60));
}

it('forecasts twelve mixes within a tenth of what the gateway’s own single flight does', () => {
  const cost = { known: 1000, forEach: [], limit: 1000 };
  const errors = mixes.flatMap((mix, index) => {
    const { gateway } = forecastOf({ cost }, { ...mix, everyMs: mix.everySeconds * 1000 }, mix.latencyMs);
    const simulated = 1000 * simulateQueries(mix, createRandom(index + 1));
    const isClose = Math.abs(gateway.atMost / simulated - 1) <= 0.1;
    return isClose ? [] : [{ mix, forecast: gateway.atMost, simulated }];
  });
  expect(errors).toEqual([]);
});
