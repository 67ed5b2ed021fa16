import { Aborter } from '../../abort.ts';
import type { CoreConfig } from '../../config/core.ts';
import { noticeFields as notices } from '../../features/notices/index.ts';
import type { Ttl } from '../../upstream/cache-control.ts';
import { type Outcome, UpstreamRequest, type UpstreamResponse } from '../../upstream/call.ts';
import { keyHashOf } from '../../upstream/caller.ts';
import { deadline } from '../../upstream/guards/deadline.ts';
import { targetOf } from '../../upstream/resources.ts';
import { createTransport } from '../../upstream/transport.ts';
import { createReplay, type Fields, type Kind } from './replay.ts';

/** Why a rule cannot be seen. */
export class Unseen extends Error {}

/** An API under the rules. */
export type Api = ReturnType<typeof createApi>;

/**
 * The configuration, with what the cache and live queries have in it where there are such features: some rules are
 * about their settings, as those of the core.
 */
interface CheckedConfig extends CoreConfig {
  upstream: CoreConfig['upstream'] & { cache?: { ttl: Ttl } };
  live?: { intervalMs: number; callsPerMinute: number } | null;
}

interface ApiOptions {
  url: URL;
  key: string;
  config: CheckedConfig;
  /** Resources that the key can read; empty: none. */
  ids: Readonly<Record<Kind, string>>;
  /** Absent: no limit, and all samples of each rule in place of the first. */
  maxCalls?: number;
}

/** A request does not obey UPSTREAM_TIMEOUT_MS, which a rule judges. */
const LEAST_TIMEOUT_MS = 30_000;

/** Sends nothing but GET, and nothing after a 429. Connects when first called. */
export function createApi({ url, maxCalls = Infinity, ...given }: ApiOptions) {
  const { config, key, ids } = given;
  const timeoutMs = Math.max(LEAST_TIMEOUT_MS, 2 * config.upstream.timeoutMs);
  const transport = createTransport({ ...config.upstream, url, timeoutMs, notices, drift: () => {} });
  const send = deadline(timeoutMs)(transport.send);
  const caller = { apiKey: key, keyHash: keyHashOf(key), signal: new Aborter() };
  /** The word before the hyphen of the site that is named; without one, SITE_ID_PREFIX. */
  const prefix = ids.site.split('-')[0] || config.siteIdPrefix;
  const known = new Map<string, Outcome>();
  let limited: UpstreamResponse | null = null;
  let [calls, slowestMs] = [0, 0];
  /** Of the responses with status 200. */
  const latenciesMs: number[] = [];

  async function outcomeOf(target: string, fields: Fields): Promise<Outcome> {
    if (limited || calls >= maxCalls) throw new Unseen('no further call may be made');
    calls += 1;
    const request = Object.assign(new UpstreamRequest(caller, targetOf(target)), { headers: fields });
    const sentAtMs = performance.now();
    const outcome = await new Promise<Outcome>((resolve) => send(request, resolve));
    if (outcome instanceof Error) return outcome;
    const tookMs = Math.ceil(performance.now() - sentAtMs);
    slowestMs = Math.max(slowestMs, tookMs);
    if (outcome.status === 200) latenciesMs.push(tookMs);
    if (outcome.status !== 429) return outcome;
    limited = outcome;
    throw new Unseen('the rate limit of the key is exceeded');
  }

  /** The same request is sent once. @throws Unseen, UpstreamError */
  async function get(target: string, fields: Fields = { 'x-api-key': key }) {
    const name = JSON.stringify([target, fields]);
    const outcome = known.get(name) ?? (await outcomeOf(target, fields));
    known.set(name, outcome);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  return {
    ...given,
    prefix,
    get,
    /** Those of the samples of a rule that are sent. */
    some: <T>(samples: readonly T[]) => (maxCalls === Infinity ? samples : samples.slice(0, 1)),
    replay: createReplay({ ...config, siteIdPrefix: prefix }, get),
    /** The 429 that was received, how many requests were sent, and the longest time that one took. */
    state: () => ({ limited, calls, slowestMs }),
    /** The median of the calls with status 200; undefined where there is none. */
    latencyMs: () => latenciesMs.toSorted((one, other) => one - other)[latenciesMs.length >> 1],
    close: transport.close,
  };
}
