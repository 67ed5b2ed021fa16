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
  /** Most have one listener at a time, and no set is made for that. */
  #listener: (() => void) | null = null;
  #others: Set<() => void> | null = null;
  #reasonOf = stillWaiting;
  #reason: Error | null = null;

  /** `reasonOf` is asked when somebody wants to know, which is seldom. The first call counts. */
  abort(reasonOf: () => Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reasonOf = reasonOf;
    const [listener, others] = [this.#listener, this.#others];
    this.#listener = null;
    this.#others = null;
    listener?.();
    if (others) for (const other of others) other();
  }

  get reason(): Error {
    this.#reason ??= this.#reasonOf();
    return this.#reason;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    if (this.#listener === null) {
      this.#listener = listener;
      return;
    }
    this.#others ??= new Set();
    this.#others.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = null;
    else this.#others?.delete(listener);
  }
}

const stillWaiting = () => new Error('Somebody still waits.');
