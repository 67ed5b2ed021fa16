type OnValue<T> = (value: T) => void;
type OnError = (error: unknown) => void;

/**
 * A promise that calls the callbacks of `whenSettled` at once when it settles, with no microtask between
 * (docs/decisions/18-calls-die-young.md). A rejection that nothing handles is not reported.
 */
export class SyncPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'SyncPromise';
  #state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  #outcome: unknown;
  #callbacks: [OnValue<T>, OnError][] = none;

  resolve(value: T): void {
    for (const [onValue] of this.#settle('fulfilled', value)) onValue(value);
  }

  /** Does nothing if it is settled. */
  reject(error: unknown): void {
    for (const [, onError] of this.#settle('rejected', error)) onError(error);
  }

  /** Returns the callbacks to call. They must not outlive the outcome: they retain the request. */
  #settle(state: 'fulfilled' | 'rejected', outcome: unknown): [OnValue<T>, OnError][] {
    if (this.#state !== 'pending') return none;
    this.#state = state;
    this.#outcome = outcome;
    const callbacks = this.#callbacks;
    this.#callbacks = none;
    return callbacks;
  }

  /** Settles with what `create` returns, or as the promise that it returns; rejects with what it throws. */
  resolveWith(create: () => T | Promise<T>): void {
    let value: T | Promise<T>;
    try {
      value = create();
    } catch (error) {
      this.reject(error);
      return;
    }
    if (!isPromise(value)) this.resolve(value);
    else
      whenSettled(
        value,
        (settled) => this.resolve(settled),
        (error) => this.reject(error),
      );
  }

  /** Calls one of the callbacks, once. What it throws, it throws into whatever settles the promise. */
  whenSettled(onValue: OnValue<T>, onError: OnError): void {
    if (this.#state === 'fulfilled') onValue(this.#outcome as T);
    else if (this.#state === 'rejected') onError(this.#outcome);
    else if (this.#callbacks.length > 0) this.#callbacks.push([onValue, onError]);
    else this.#callbacks = [[onValue, onError]];
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = T, B = never>(
    onValue?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#asynchronous().then(onValue, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#asynchronous().catch(onError);
  }

  finally(onSettled?: (() => void) | null): Promise<T> {
    return this.#asynchronous().finally(onSettled);
  }

  #asynchronous(): Promise<T> {
    return new Promise((resolve, reject) => this.whenSettled(resolve, reject));
  }
}

const none: never[] = [];

export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Calls one of the callbacks, once: at once if the promise allows it. */
export function whenSettled<T>(promise: PromiseLike<T>, onValue: OnValue<T>, onError: OnError): void {
  if (promise instanceof SyncPromise) promise.whenSettled(onValue, onError);
  else promise.then(onValue, onError);
}

/** The promise of what `onValue` or `onError` return, or throw: settled at once if the given one is. */
export function mapPromise<T, U>(
  promise: Promise<T>,
  onValue: (value: T) => U | Promise<U>,
  onError: (error: unknown) => U | Promise<U> = rethrow,
): Promise<U> {
  if (!(promise instanceof SyncPromise)) return promise.then(onValue, onError);
  const mapped = new SyncPromise<U>();
  promise.whenSettled(
    (value) => mapped.resolveWith(() => onValue(value)),
    (error) => mapped.resolveWith(() => onError(error)),
  );
  return mapped;
}

export function same<T>(value: T): T {
  return value;
}

function rethrow(error: unknown): never {
  throw error;
}
