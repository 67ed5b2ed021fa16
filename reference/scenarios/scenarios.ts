import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createRandom, type Random } from '../data/random.ts';
import { headersFromDeprecation } from '../http/deprecation.ts';
import { responseFromProblem } from '../http/problems.ts';
import type { ApiResponse } from '../http/response.ts';
import { pathFromTarget } from '../http/targets.ts';
import type { Caller } from '../keys/keyring.ts';
import type { RateLimitResult } from '../rate-limit/limiter.ts';
import { driftedBody } from './drift.ts';
import type { Scenario } from './scenario.ts';

/** A response, with the result of the rate limit of its key; null without a valid key. */
export interface Reply {
  response: ApiResponse;
  limit: RateLimitResult | null;
}

/** One scenario at a time, which replaces the replies of the API. */
export interface Scenarios {
  /** Replaces the scenario and begins it anew; null ends it. */
  set(scenario: Scenario | null): void;
  /** The scenario of this target; null for none. */
  at(target: string): Act | null;
}

/** Resolves to what is sent in place of the reply; null: the connection is closed without one. */
type Act = (reply: Reply, caller: Caller | null, outgoing: ServerResponse) => Promise<Reply | null>;

const DAY_MS = 86_400_000;

export function createScenarios(first: Scenario | null): Scenarios {
  let current: { scenario: Scenario; act: (path: string) => Act } | null = null;
  const scenarios: Scenarios = {
    set(scenario) {
      current = scenario && { scenario, act: createAct(scenario, createRandom(scenario.scenario)) };
    },
    at(target) {
      if (!current) return null;
      const path = pathFromTarget(target);
      return isAtOrBelow(path, current.scenario.path) ? current.act(path) : null;
    },
  };
  scenarios.set(first);
  return scenarios;
}

/** `/v1/site/SITE-1` is below `/v1/site`, and `/v1/sites` is not. Every path is below undefined. */
function isAtOrBelow(path: string, parent: string | undefined): boolean {
  return parent === undefined || `${path}/`.startsWith(`${parent}/`);
}

/** `random` decides which replies of `flaky` fail: the same ones after each start. */
function createAct(scenario: Scenario, random: Random): (path: string) => Act {
  return (path) => async (reply, caller, outgoing) => {
    const { response, limit } = reply;
    switch (scenario.scenario) {
      case 'slow':
        await pause(scenario.delayMs, outgoing);
        return reply;
      case 'flaky':
        return random.chance(scenario.share) ? { response: responseFromProblem('flaky'), limit } : reply;
      case 'limited':
        if (!limit || (scenario.key ?? caller?.keyName) !== caller?.keyName) return reply;
        return {
          response: responseFromProblem('rate-limited'),
          limit: { ...limit, isAllowed: false, remaining: 0, resetS: scenario.retryAfterS },
        };
      case 'down':
        return null;
      case 'drifting':
        return response.status === 200
          ? { response: { ...response, body: driftedBody(path, response.body) }, limit }
          : reply;
      case 'sunset':
        return {
          response: { ...response, headers: [...(response.headers ?? []), ...sunsetHeaders(scenario.days)] },
          limit: limit && { ...limit, remaining: Math.min(limit.remaining, scenario.remaining) },
        };
    }
  };
}

/** Ends early when the client disconnects. */
async function pause(delayMs: number, outgoing: ServerResponse): Promise<void> {
  const timer = new AbortController();
  const closed = once(outgoing, 'close', { signal: timer.signal }).catch(() => {});
  const timeout = setTimeout(() => timer.abort(), delayMs);
  await closed;
  clearTimeout(timeout);
}

/** Deprecated since today, until midnight UTC after this number of days. */
function sunsetHeaders(days: number): readonly string[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const dates = { date: new Date(today), sunset: new Date(today + days * DAY_MS) };
  return [...headersFromDeprecation(dates), 'link', '<https://provider.example/v2>; rel="sunset"'];
}
