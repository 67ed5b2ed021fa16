/** The part of AbortSignal that the gateway uses; an AbortSignal is one. */
export interface Signal {
  readonly aborted: boolean;
  /** Why it was aborted; only to be read when it was. */
  readonly reason: Error;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** An AbortController and its signal in one object, at a small part of the cost: a request needs several. */
export class Aborter implements Signal {
  aborted = false;
  /** Most signals have one listener at a time and need no list. */
  #listener: (() => void) | null = null;
  #others: (() => void)[] | null = null;
  #createReason = notAborted;
  #reason: Error | null = null;

  /** Aborts once; later calls do nothing. `createReason` runs when the reason is first read, if ever. */
  abort(createReason: () => Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#createReason = createReason;
    const [listener, others] = [this.#listener, this.#others];
    this.#listener = null;
    this.#others = null;
    listener?.();
    if (others) for (const other of others) other();
  }

  get reason(): Error {
    this.#reason ??= this.#createReason();
    return this.#reason;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    if (this.#listener === null) {
      this.#listener = listener;
      return;
    }
    this.#others ??= [];
    this.#others.push(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = null;
    else if (this.#others) remove(this.#others, listener);
  }
}

/** Removes an element, if it is there. An array that becomes empty keeps its room for the next one. */
export function remove<T>(from: T[], one: T): void {
  const nth = from.indexOf(one);
  if (nth === from.length - 1) from.pop();
  else if (nth >= 0) from.splice(nth, 1);
}

const notAborted = () => new Error('The signal is not aborted.');
