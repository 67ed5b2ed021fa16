import assert from 'node:assert/strict';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { KeyPolls } from '../../../../src/features/live/key-polls.ts';
import { PollReader } from '../../../../src/features/live/poll-reader.ts';
import { Aborter } from '../../../../src/rest/abort.ts';
import { type Done, UpstreamRequest } from '../../../../src/rest/call.ts';
import { apiKeyOf } from '../../../../src/rest/caller.ts';
import { singleFlight } from '../../../../src/rest/single-flight.ts';
import { SiteTarget } from '../../../../src/rest/targets.ts';
import { testConfig } from '../../../support/gateway.ts';
import { createRandom } from '../../../support/random.ts';
import { responseOf } from '../../../support/response.ts';
import { planIn, writeFiles } from '../plan-in.ts';

/** Viewers who ask every so many seconds for so many sites, each of which takes a REST call of `latencyMs`. */
interface Mix {
  viewers: number;
  everySeconds: number;
  latencyMs: number;
  sites: number;
}

const mixes = [
  [1, 5, 200, 8],
  [2, 5, 200, 8],
  [3, 10, 100, 10],
  [5, 5, 50, 8],
  [10, 5, 1000, 8],
  [20, 15, 500, 12],
  [50, 5, 100, 10],
  [100, 30, 200, 20],
  [200, 5, 200, 8],
  [200, 20, 2000, 16],
  [500, 60, 300, 50],
  [1000, 10, 150, 9],
].map(([viewers = 0, everySeconds = 0, latencyMs = 0, sites = 0]) => ({
  ...{ viewers, everySeconds, latencyMs, sites },
}));

const INTERVALS = 8;
/** Until each viewer has asked, and the calls repeat. */
const UNCOUNTED = 2;

/**
 * The calls of a minute for one site, by the gateway's own coalescing: the viewers ask at phases that are drawn
 * anew so many times that some thousand viewers have asked.
 */
function simulateQueries(
  { viewers, everySeconds, latencyMs }: Omit<Mix, 'sites'>,
  random: () => number,
): number {
  const everyMs = everySeconds * 1000;
  const draws = Math.ceil(1000 / viewers);
  const target = new SiteTarget('SITE-1', []);
  let count = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    const caller = { key: apiKeyOf(''), signal: new Aborter() };
    let inFlight: { endMs: number; done: Done } | undefined;
    let nowMs = 0;
    const send = singleFlight()((_, done) => {
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

const LIVE_MINUTES = 10;

/** The calls of a minute by the gateway's own polls, whatever the number of viewers. */
async function simulatePolls({ everySeconds, latencyMs, sites }: Mix, random: () => number): Promise<number> {
  vi.spyOn(Math, 'random').mockImplementation(random);
  let count = 0;
  const { live } = testConfig();
  assert(live);
  const send = () => {
    count += 1;
    const response = { ...responseOf(404), resource: null };
    return new Promise<typeof response>((done) => setTimeout(() => done(response), latencyMs));
  };
  const polls = new KeyPolls(apiKeyOf(''), send, { calls: 0, events: 0, bytes: 0 }, live);
  const reader = new PollReader(polls, {
    ...{ everyMs: everySeconds * 1000, isFirst: true, maxPolls: sites },
    onChange() {},
  });
  for (let site = 0; site < sites; site += 1) void reader.site(`SITE-${site}`, []);
  // The first calls are made at once, whatever the limit is.
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  count = 0;
  await vi.advanceTimersByTimeAsync(LIVE_MINUTES * 60_000);
  reader.release();
  return count / LIVE_MINUTES;
}

/** The forecast of `portico plan` for a mix. */
async function forecast({ viewers, everySeconds, latencyMs, sites }: Mix) {
  const ids = Array.from({ length: sites }, (_, site) => `"SITE-${site}"`);
  const folder = await writeFiles({ 'a.graphql': `query Sites { sites(ids: [${ids}]) { city } }` });
  const viewing = { ...{ viewers, everyMs: everySeconds * 1000, latencyMs }, limitPerMinute: undefined };
  const { lines } = await planIn(folder, ['a.graphql'], { isJson: true, viewing });
  const { total } = JSON.parse(lines.join('\n')).forecast as {
    total: Record<'gateway' | 'live', { atMost: number }>;
  };
  return { gateway: total.gateway.atMost, live: total.live.atMost };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  vi.advanceTimersByTime(1_000);
});

it('forecasts twelve mixes within a tenth of what the gateway’s own parts do', async () => {
  const errors: object[] = [];
  for (const [index, mix] of mixes.entries()) {
    const random = createRandom(index + 1);
    const { gateway, live } = await forecast(mix);
    const queries = simulateQueries(mix, random) * mix.sites;
    const polls = await simulatePolls(mix, random);
    for (const [forecast, simulated] of [
      [gateway, queries],
      [live, polls],
    ] as const)
      if (Math.abs(forecast / simulated - 1) > 0.1) errors.push({ mix, forecast, simulated });
  }
  expect(errors).toEqual([]);
});
