import { type Cache, isFresh, type Kept } from './cache.ts';
import type { Caller } from './caller.ts';
import {
  isOutage,
  mayLieInInclude,
  UpstreamForbidden,
  UpstreamInvalidResponse,
  UpstreamRateLimited,
  UpstreamUnaffordable,
  UpstreamUnavailable,
} from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Flights } from './flights.ts';
import { type Life, lifeOf } from './freshness.ts';
import { type HearFailure, reporterOf } from './report.ts';
import { retryAfterFrom } from './retry-after.ts';
import type { Drift } from './shape.ts';
import type { Wire } from './wire.ts';

/** Something that the REST API can be asked, and what its answer means. */
interface Question<T> {
  /** The call's path and, after it, those of the calls that bring at least as much. */
  paths: readonly [string, ...string[]];
  /** The paths of all calls for this thing, whatever they bring. */
  family: readonly string[];
  /** Makes objects of the caller's own. @throws UpstreamInvalidResponse */
  fromJson(json: unknown, drift: Drift): T;
}

/**
 * Answers of the REST API, each had in the cheapest way there is: from the cache, from a call that is under way for
 * the same key, or from the wire.
 */
export interface Answers {
  /**
   * What the answer means, or null where there is no such thing (404). Rejects with an UpstreamError, where that is an
   * outage only when no earlier answer may stand in for it.
   */
  read<T>(caller: Caller, question: Question<T>): Promise<T | null>;
  /** One call as it is answered, whatever its status; it is not repeated, and its answer neither kept nor recalled. */
  ask(caller: Caller, path: string): Promise<Exchange>;
}

export interface AnswersOptions {
  wire: Wire;
  flights: Flights<Exchange>;
  /** Null: nothing is kept. */
  cache: Cache | null;
  /** How long an answer may be kept at most. */
  life: Life;
  drift: Drift;
  onFailure?: HearFailure | undefined;
}

interface Fetched {
  answer: Promise<Exchange>;
  made: string;
}

export function createAnswers(options: AnswersOptions): Answers {
  const { wire, flights, cache, life, drift, onFailure } = options;
  /** Joins or makes a call; `made` is the path of that call, which may bring more than was asked for. */
  function fetched(caller: Caller, paths: Question<unknown>['paths'], mayRepeat: boolean): Fetched {
    const { owner, signal } = caller;
    if (signal.aborted) throw signal.reason;
    const [path] = paths;
    const joined = flights.join(owner, paths, signal, (patience) =>
      wire.get({ caller, path, signal: patience, mayRepeat }),
    );
    const made = joined.path;
    if (joined.isFirst) return { answer: joined.answer, made };
    const answer = followed(caller, path, joined.answer).catch((error: unknown) => {
      // It was another operation that could not pay; this one pays for itself.
      if (error instanceof UpstreamUnaffordable) return fetched(caller, [made], mayRepeat).answer;
      throw error;
    });
    return { answer, made };
  }

  async function fetch<T>(caller: Caller, question: Question<T>): Promise<T | null> {
    const [path] = question.paths;
    const { answer, made } = fetched(caller, question.paths, true);
    try {
      const exchange = await answer;
      if (isFinal(exchange.status)) cache?.drop(caller, question.family);
      return understood(caller, made, exchange, question);
    } catch (error) {
      // Who rode on a larger call is not to suffer for what the others wanted besides.
      if (made !== path && mayLieInInclude(error)) return fetch(caller, { ...question, paths: [path] });
      throw error;
    }
  }

  function understood<T>(caller: Caller, made: string, exchange: Exchange, question: Question<T>): T | null {
    // One answer drifts once, fails once and is kept once, however many have waited for it.
    const isNew = exchange.isRead !== true;
    exchange.isRead = true;
    try {
      const json = jsonFrom(exchange);
      if (json === missing) return null;
      const resource = question.fromJson(json, isNew ? drift : unheard);
      if (isNew) keep(caller, made, exchange);
      return resource;
    } catch (error) {
      // Of any other status the wire has told.
      if (isNew && exchange.status === 200) onFailure?.({ path: made, status: 200 }, caller, error);
      throw error;
    }
  }

  function keep(caller: Caller, path: string, exchange: Exchange): void {
    const itsLife = cache && lifeOf(exchange, life);
    if (itsLife) cache.keep(caller, path, { body: exchange.body, atMs: Date.now(), life: itsLife });
    // What it said before is no longer so.
    else cache?.drop(caller, [path]);
  }

  async function readThrough<T>(store: Cache, caller: Caller, question: Question<T>): Promise<T | null> {
    const kept = await store.find(caller, question.paths);
    if (kept && isFresh(kept)) {
      reporterOf(caller, question.paths[0])('cache', 200, { ageMs: Date.now() - kept.atMs });
      return recalled(kept, question);
    }
    try {
      return await fetch(caller, question);
    } catch (error) {
      if (!kept || !isOutage(error)) throw error;
      reporterOf(caller, question.paths[0])('stale', 200, { ageMs: Date.now() - kept.atMs });
      return recalled(kept, question);
    }
  }

  return {
    read: (caller, question) => (cache ? readThrough(cache, caller, question) : fetch(caller, question)),
    ask: async (caller, path) => fetched(caller, [path], false).answer,
  };
}

/** The answer to a call of others, of which the caller is told as of his own. */
async function followed(caller: Caller, path: string, answer: Promise<Exchange>): Promise<Exchange> {
  const report = reporterOf(caller, path);
  const told = (status: number | null, retryAfter?: number) => report('flight', status, { retryAfter });
  try {
    const exchange = await answer;
    told(exchange.status, exchange.status === 429 ? waitFrom(exchange) : undefined);
    return exchange;
  } catch (error) {
    if (error instanceof UpstreamRateLimited) told(429, error.retryAfter);
    else if (!(error instanceof UpstreamUnaffordable)) told(null);
    throw error;
  }
}

function recalled<T>({ body }: Kept, { fromJson }: Question<T>): T {
  return fromJson(parse(body), unheard);
}

function unheard(): void {}

/** The thing is gone, or no longer this key's: no earlier answer may stand in for it. */
function isFinal(status: number): boolean {
  return status === 401 || status === 403 || status === 404;
}

const missing = Symbol('missing');

/** What an answer says, by its status (REST document, section 7, and the conventions of HTTP where it is silent). */
function jsonFrom(exchange: Exchange): unknown {
  const { status, body } = exchange;
  if (status === 404) return missing;
  if (status === 401 || status === 403) throw new UpstreamForbidden();
  if (status === 429) throw new UpstreamRateLimited(waitFrom(exchange));
  if (status >= 500) throw new UpstreamUnavailable(status);
  if (status !== 200) throw new UpstreamInvalidResponse(`its status is ${status}`);
  const json = parse(body);
  if (json === undefined) throw new UpstreamInvalidResponse('it is not JSON');
  return json;
}

function waitFrom({ headers }: Exchange): number | undefined {
  return retryAfterFrom(headers['retry-after'], Date.now());
}

/** Undefined for what is not JSON. */
export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
