/** Tells when nobody waits any more. An AbortSignal does it too. */
export interface Signal {
  readonly aborted: boolean;
  /** Why, when it is so. */
  readonly reason: Error;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A signal and its switch: as much of an AbortController as the way of a request needs, which needs several for each, at a
 * small part of the cost.
 */
export class Switch implements Signal {
  aborted = false;
  #listeners: Set<() => void> | undefined;
  #reasonOf = () => new Error('Somebody still waits.');
  #reason: Error | undefined;

  /** `reasonOf` is asked when somebody wants to know, which is seldom. The first call counts. */
  abort(reasonOf: () => Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reasonOf = reasonOf;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners) for (const listener of listeners) listener();
  }

  get reason(): Error {
    this.#reason ??= this.#reasonOf();
    return this.#reason;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
