import type { Signal } from '../../abort.ts';
import type { Caller, KeyHolder, UpstreamCall } from '../caller.ts';
import { mayBeCausedByInclude, UpstreamForbidden, UpstreamRateLimited } from '../errors.ts';
import type { UpstreamResponse, Validator } from '../layer.ts';
import type { Relation } from '../resources.ts';
import type { Target } from '../targets.ts';
import type { PollState, TargetFor } from './poll-state.ts';
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
  /** Keeps the polls of the key from making calls. */
  hold(ms: number): void;
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
  /** Aborts the one in flight. */
  readonly #signal: Signal;

  constructor(environment: CallEnvironment, state: PollState, targetFor: TargetFor, signal: Signal) {
    this.#environment = environment;
    this.#state = state;
    this.#targetFor = targetFor;
    this.#signal = signal;
  }

  /**
   * One call, and another without the relations that may have made it fail, where those are not known yet. What another process
   * polled less than `intervalMs` ago is taken in place of a call: returns its age.
   */
  async make(include: readonly Relation[], intervalMs: number): Promise<number> {
    try {
      return await this.#fetch(include, intervalMs);
    } catch (error) {
      this.#onError(error as Error, include);
      const rest = include.filter((relation) => this.#state.include.includes(relation));
      if (!mayBeCausedByInclude(error) || rest.length === include.length) return 0;
      this.#environment.spendTurn();
      return this.#fetch(rest, intervalMs).catch((second: Error) => {
        if (second instanceof UpstreamForbidden) this.#onError(second, rest);
        return 0;
      });
    }
  }

  async #fetch(include: readonly Relation[], intervalMs: number): Promise<number> {
    const { key, send, shared, counters } = this.#environment;
    const target = this.#targetFor(include);
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
      this.last = { method: 'GET', path: target.path, status: 200, durationMs: 0, source: 'cache' };
      this.#keep(taken.body, include, target.path, undefined);
      return taken.ageMs;
    }
    const validator = this.#state.validatorOf(target.path);
    const { status, body, headers, sentPath } = await send(caller, target, validator);
    this.#environment.onHeaders(headers);
    const isThere = status !== 404;
    this.#keep(isThere ? body : null, include, sentPath, isThere ? etagFrom(headers) : undefined);
    if (isThere) shared?.set(caller, sentPath, body);
    else shared?.delete(caller, target);
    return 0;
  }

  #keep(body: Buffer | null, include: readonly Relation[], path: string, etag: string | undefined): void {
    if (this.#state.onResponse(body, include, path, etag)) this.#environment.counters.changes += 1;
  }

  #onError(error: Error, include: readonly Relation[]): void {
    const { shared, key } = this.#environment;
    if (error instanceof UpstreamForbidden) {
      this.#state.onForbidden();
      shared?.delete({ ...key, signal: this.#signal }, this.#targetFor([]));
      return;
    }
    if (error instanceof UpstreamRateLimited) this.#environment.hold((error.retryAfter ?? 0) * 1000);
    this.#state.onFailure(error, include);
  }
}

/** A weak one serves as well: the bodies that it stands for are equal in what they mean. */
function etagFrom({ etag }: UpstreamResponse['headers']): string | undefined {
  return typeof etag === 'string' && /^(W\/)?"[\x21\x23-\x7e]{0,256}"$/.test(etag) ? etag : undefined;
}
