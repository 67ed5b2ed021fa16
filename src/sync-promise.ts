type OnValue<T> = (value: T) => void;
type OnError = (error: unknown) => void;

/**
 * A promise that calls the callbacks of `whenSettled` at once when it settles, or when it is settled already, with no
 * microtask between: docs/decisions/18-calls-die-young.md. Its other methods are those of any promise. A rejection that
 * nothing handles is not reported.
 */
export class SyncPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'SyncPromise';
  #state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  #outcome: unknown;
  /** Most promises have one callback of each kind. */
  #onValue: OnValue<T> | undefined;
  #onError: OnError | undefined;
  #others: [OnValue<T>, OnError][] | undefined;

  /** Does nothing where it is settled. */
  resolve(value: T): void {
    if (this.#state !== 'pending') return;
    this.#state = 'fulfilled';
    this.#outcome = value;
    const [onValue, others] = [this.#onValue, this.#others];
    this.#clear();
    onValue?.(value);
    if (others) for (const [other] of others) other(value);
  }

  /** Does nothing where it is settled. */
  reject(error: unknown): void {
    if (this.#state !== 'pending') return;
    this.#state = 'rejected';
    this.#outcome = error;
    const [onError, others] = [this.#onError, this.#others];
    this.#clear();
    onError?.(error);
    if (others) for (const [, other] of others) other(error);
  }

  /** Resolves with what `create` returns, or settles as the promise that it returns does; rejects with what it throws. */
  resolveWith(create: () => T | Promise<T>): void {
    let value: T | Promise<T>;
    try {
      value = create();
    } catch (error) {
      this.reject(error);
      return;
    }
    if (isPromise(value)) this.follow(value);
    else this.resolve(value);
  }

  /** Settles as `promise` does. */
  follow(promise: PromiseLike<T>): void {
    whenSettled(
      promise,
      (value) => this.resolve(value),
      (error) => this.reject(error),
    );
  }

  /** Calls one of the callbacks, once. What it throws, it throws into whatever settles the promise. */
  whenSettled(onValue: OnValue<T>, onError: OnError): void {
    if (this.#state === 'fulfilled') onValue(this.#outcome as T);
    else if (this.#state === 'rejected') onError(this.#outcome);
    else if (this.#onValue) {
      this.#others ??= [];
      this.#others.push([onValue, onError]);
    } else {
      this.#onValue = onValue;
      this.#onError = onError;
    }
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

  /** The callbacks must not outlive the outcome: they retain the request. */
  #clear(): void {
    this.#onValue = undefined;
    this.#onError = undefined;
    this.#others = undefined;
  }
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Calls one of the callbacks, once: at once where the promise allows it. */
export function whenSettled<T>(promise: PromiseLike<T>, onValue: OnValue<T>, onError: OnError): void {
  if (promise instanceof SyncPromise) promise.whenSettled(onValue, onError);
  else promise.then(onValue, onError);
}

/** The promise of what `onValue` or `onError` return, or throw: settled at once where the given one is. */
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

/** Leaves a rejection unreported that nothing may ever handle. */
export function ignoreRejection(promise: Promise<unknown>): void {
  if (!(promise instanceof SyncPromise)) promise.catch(() => {});
}

function rethrow(error: unknown): never {
  throw error;
}
