import type { Signal } from '../../abort.ts';
import type { UpstreamResponse, Validator } from '../call.ts';
import type { Caller, KeyHolder, UpstreamCall } from '../caller.ts';
import { parse } from '../decoding/decoding.ts';
import { mayBeCausedByInclude, UpstreamForbidden } from '../errors.ts';
import type { Relation } from '../resources.ts';
import type { Target } from '../target.ts';
import { type PollResponse, type PollState, partsOf, type TargetFor } from './poll-state.ts';
import type { SharedPolls } from './shared-polls.ts';

/** Sends one call, which is neither served from the cache nor retried. */
type SendPoll = (caller: Caller, target: Target, validator: Validator | null) => Promise<UpstreamResponse>;

/** What the calls of one key have in common. */
export interface CallEnvironment {
  readonly key: KeyHolder;
  readonly send: SendPoll;
  readonly shared: SharedPolls | null;
  /** How many calls were sent, and how many of them brought other data than before. */
  readonly counters: { requests: number; changes: number };
  /** Called for each call that failed: the other polls of the key may have to wait, or not. */
  onError(error: Error): void;
  onHeaders(headers: UpstreamResponse['headers']): void;
  /** Counts a call that did not wait for its turn: the next polls wait for it. */
  spendTurn(): void;
}

/** The calls of one poll: their outcomes go to its state. */
export class PollCalls {
  /** The latest one. */
  last: UpstreamCall | null = null;
  readonly #environment: CallEnvironment;
  readonly #state: PollState;
  readonly #targetFor: TargetFor;
  /** The relations that the latest response brought. */
  #include: readonly Relation[] = [];
  /** Aborts the one in flight. */
  readonly #signal: Signal;

  constructor(environment: CallEnvironment, state: PollState, targetFor: TargetFor, signal: Signal) {
    this.#environment = environment;
    this.#state = state;
    this.#targetFor = targetFor;
    this.#signal = signal;
  }

  /**
   * One call. Where its relations may have made it fail, another one: without those that the latest response did not bring, or
   * without all of them. What another process polled less than `intervalMs` ago is taken in place of a call: returns its age.
   */
  async make(wanted: readonly Relation[], intervalMs: number): Promise<number> {
    try {
      return await this.#fetch(wanted, wanted, intervalMs);
    } catch (error) {
      await this.#fallBack(error as Error, wanted, intervalMs);
      return 0;
    }
  }

  async #fallBack(error: Error, wanted: readonly Relation[], intervalMs: number): Promise<void> {
    if (!mayBeCausedByInclude(error) || wanted.length === 0) return this.#onError(error, partsOf(wanted));
    const known = wanted.filter((relation) => this.#include.includes(relation));
    const include = known.length < wanted.length ? known : [];
    this.#environment.spendTurn();
    try {
      await this.#fetch(include, wanted, intervalMs);
    } catch (second) {
      // The next one is without the others too.
      this.#include = [];
      // The first failure is reported, as to a query.
      return this.#onError(second instanceof UpstreamForbidden ? second : error, partsOf(wanted));
    }
    const failed = wanted.filter((relation) => !include.includes(relation));
    this.#onError(error, failed);
  }

  async #fetch(
    include: readonly Relation[],
    wanted: readonly Relation[],
    intervalMs: number,
  ): Promise<number> {
    const { key, send, shared, counters } = this.#environment;
    const target = this.#targetFor(include);
    const { path } = target;
    const caller: Caller = {
      ...key,
      signal: this.#signal,
      report: (call) => {
        this.last = call;
        if (call.source === 'network') counters.requests += 1;
      },
    };
    const taken = await shared?.get(caller, target, intervalMs);
    if (taken) {
      this.last = { method: 'GET', path, status: 200, durationMs: 0, source: 'cache' };
      const resource = resourceFrom(taken.body, target);
      this.#onResponse({ resource, include, wanted, path, validator: null });
      return taken.ageMs;
    }
    const response = await send(caller, target, this.#state.validatorOf(path));
    const { status, body, headers, sentPath } = response;
    this.#environment.onHeaders(headers);
    const resource = response.resource as PollResponse['resource'];
    const validator = validatorFrom(response);
    this.#onResponse({ resource, include, wanted, path: sentPath, validator });
    if (status === 404) shared?.delete(caller, target);
    else shared?.set(caller, sentPath, body);
    return 0;
  }

  #onResponse(response: PollResponse): void {
    this.#include = response.include;
    if (this.#state.onResponse(response)) this.#environment.counters.changes += 1;
  }

  #onError(error: Error, parts: Parameters<PollState['onFailure']>[1]): void {
    const { shared, key } = this.#environment;
    this.#environment.onError(error);
    if (error instanceof UpstreamForbidden) {
      this.#state.onForbidden();
      shared?.delete({ ...key, signal: this.#signal }, this.#targetFor([]));
      return;
    }
    this.#state.onFailure(error, parts);
  }
}

function resourceFrom(body: Buffer, target: Target): PollResponse['resource'] {
  return target.fromJson?.(parse(body), noop) as PollResponse['resource'];
}

/** A weak tag serves as well: the bodies that it stands for are equal in what they mean. */
function validatorFrom({ status, body, headers: { etag } }: UpstreamResponse): Validator | null {
  const isTag = typeof etag === 'string' && /^(W\/)?"[\x21\x23-\x7e]{0,256}"$/.test(etag);
  return isTag && status !== 404 ? { etag, body: ownCopy(body) } : null;
}

/** A small body is a slice of a larger block, which it would retain. */
function ownCopy(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}

function noop(): void {}
