import { type Cache, isFresh, type Kept } from './cache.ts';
import type { Caller } from './caller.ts';
import {
  isOutage,
  mayLieInInclude,
  UpstreamForbidden,
  UpstreamInvalidResponse,
  UpstreamRateLimited,
  UpstreamUnavailable,
} from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Flight, Flights, Target } from './flights.ts';
import { type Life, lifeOf } from './freshness.ts';
import type { Question } from './questions.ts';
import { type HearFailure, reporterOf } from './report.ts';
import { retryAfterFrom } from './retry-after.ts';
import type { Drift } from './shape.ts';
import type { Wire } from './wire.ts';

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

/** What somebody makes of the answer to the call that was made, which may bring more than was asked for. */
type Hear<T> = (exchange: Exchange, made: string) => T;

export function createAnswers(options: AnswersOptions): Answers {
  const { wire, flights, cache, life, drift, onFailure } = options;

  /** What `hear` makes of the answer to a call, which is joined where one is under way that will do, and else made. */
  function fetch<T>(caller: Caller, target: Target, mayRepeat: boolean, hear: Hear<T>): Promise<T> {
    const { owner, signal } = caller;
    if (signal.aborted) return Promise.reject(signal.reason);
    const { path } = target;
    const underway = flights.find(owner, target);
    if (underway) return follow(caller, target, underway, mayRepeat, hear);
    const flight = flights.open(owner, target, (patience, landing) =>
      wire.get({ caller, path, signal: patience, mayRepeat, isRepeated: false }, landing),
    );
    return flight.wait(signal, (exchange) => hear(exchange, path));
  }

  /** The same of a call of others, of which the caller is told as of his own. */
  function follow<T>(
    caller: Caller,
    { path, thing }: Target,
    flight: Flight<Exchange>,
    mayRepeat: boolean,
    hear: Hear<T>,
  ): Promise<T> {
    const report = reporterOf(caller, path);
    const made = flight.path;
    let isAnswered = false;
    const heard = flight.wait(caller.signal, (exchange) => {
      isAnswered = true;
      const { status } = exchange;
      report('flight', status, { retryAfter: status === 429 ? waitFrom(exchange) : undefined });
      return hear(exchange, made);
    });
    return heard.catch((error: unknown) => {
      const limit = error instanceof UpstreamRateLimited ? error : undefined;
      if (!isAnswered) report('flight', limit ? 429 : null, { retryAfter: limit?.retryAfter });
      // Who rode on a larger call is not to suffer for what the others wanted besides.
      if (made !== path && mayLieInInclude(error)) return fetch(caller, only(path, thing), mayRepeat, hear);
      throw error;
    });
  }

  function ask<T>(caller: Caller, question: Question<T>): Promise<T | null> {
    return fetch(caller, question, true, (exchange, made) => {
      if (isFinal(exchange.status)) cache?.drop(caller, question.family());
      return understood(caller, made, exchange, question);
    });
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
    const kept = await store.find(caller, question.paths());
    if (kept && isFresh(kept)) {
      reporterOf(caller, question.path)('cache', 200, { ageMs: Date.now() - kept.atMs });
      return recalled(kept, question);
    }
    try {
      return await ask(caller, question);
    } catch (error) {
      if (!kept || !isOutage(error)) throw error;
      reporterOf(caller, question.path)('stale', 200, { ageMs: Date.now() - kept.atMs });
      return recalled(kept, question);
    }
  }

  return {
    read: (caller, question) => (cache ? readThrough(cache, caller, question) : ask(caller, question)),
    ask: (caller, path) => fetch(caller, only(path), false, (exchange) => exchange),
  };
}

/** A call for which no larger one will do. */
function only(path: string, thing = path): Target {
  return { thing, path, paths: () => [path] };
}

function recalled<T>({ body }: Kept, question: Question<T>): T {
  return question.fromJson(parse(body), unheard);
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
