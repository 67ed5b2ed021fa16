import { type Signal, Switch } from '../signal.ts';
import { UpstreamAbandoned, UpstreamTimeout } from './errors.ts';

/** What a call does: it ends early, by rejecting with the signal's reason, when that aborts. */
type Call<T> = (signal: Signal) => Promise<T>;

/**
 * Calls under way, by their owners and paths. Whoever asks for what is being fetched waits for it with the others; the call is aborted
 * when the last of those who wait has left, and nobody else's leaving touches it. What it brings, an answer or an
 * error, goes to those who waited and is kept for nobody.
 */
export interface Flights<T> {
  /**
   * Joins the first of the owner's calls for these paths that is under way; where none is, makes `call` for the first path. Rejects
   * with the reason of `signal` when that aborts, with UpstreamTimeout when the call has taken too long.
   */
  join(owner: string, paths: readonly string[], signal: Signal, call: Call<T>): Joined<T>;
  /** How many calls are under way. */
  readonly size: number;
}

interface Joined<T> {
  answer: Promise<T>;
  /** The path of the call. */
  path: string;
  /** Whether this is who the call is made for. */
  isFirst: boolean;
}

export interface FlightOptions {
  isShared: boolean;
  timeoutMs: number;
}

/** `isShared`: whether equal calls are joined; else each is made. One call may take `timeoutMs`. */
export function createFlights<T>({ isShared, timeoutMs }: FlightOptions): Flights<T> {
  const underway = new Map<string, Flight<T>>();

  function joinable(owner: string, paths: readonly string[], name: string): Flight<T> | undefined {
    if (underway.size === 0) return undefined;
    for (let n = 0; n < paths.length; n += 1) {
      const flight = underway.get(n === 0 ? name : nameOf(owner, paths[n] ?? ''));
      if (flight) return flight;
    }
    return undefined;
  }

  function start(name: string, path: string, call: Call<T>): Flight<T> {
    const flight: Flight<T> = new Flight<T>(path, () => {
      if (underway.get(name) === flight) underway.delete(name);
    });
    flight.begin(call, timeoutMs);
    if (isShared) underway.set(name, flight);
    return flight;
  }

  return {
    join(owner, paths, signal, call) {
      const [path = ''] = paths;
      const name = nameOf(owner, path);
      const joined = joinable(owner, paths, name);
      const flight = joined ?? start(name, path, call);
      return { answer: flight.wait(signal), path: flight.path, isFirst: !joined };
    },
    get size() {
      return underway.size;
    },
  };
}

/** A digest has one length, so no two of these pairs make one name. */
function nameOf(owner: string, path: string): string {
  return owner + path;
}

interface Waiting<T> {
  resolve(answer: T): void;
  reject(reason: unknown): void;
  signal: Signal;
  leave(): void;
}

/** One call, and who waits for it. */
class Flight<T> {
  readonly path: string;
  readonly #patience = new Switch();
  /** Before the waiting hear of it, so that nobody joins a call whose outcome is known. */
  readonly #onEnd: () => void;
  #deadline: NodeJS.Timeout | undefined;
  #waiting: Waiting<T>[] = [];

  constructor(path: string, onEnd: () => void) {
    this.path = path;
    this.#onEnd = onEnd;
  }

  begin(call: Call<T>, timeoutMs: number): void {
    this.#deadline = setTimeout(() => this.#giveUp(new UpstreamTimeout(timeoutMs)), timeoutMs);
    call(this.#patience).then(
      (answer) => {
        for (const { resolve } of this.#end()) resolve(answer);
      },
      (error: unknown) => {
        for (const { reject } of this.#end()) reject(error);
      },
    );
  }

  wait(signal: Signal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        signal.removeEventListener('abort', leave);
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        if (this.#waiting.length === 0) this.#giveUp(new UpstreamAbandoned());
      };
      const one: Waiting<T> = { resolve, reject, signal, leave };
      signal.addEventListener('abort', leave);
      this.#waiting.push(one);
    });
  }

  #giveUp(reason: Error): void {
    clearTimeout(this.#deadline);
    this.#onEnd();
    this.#patience.abort(() => reason);
  }

  #end(): Waiting<T>[] {
    clearTimeout(this.#deadline);
    this.#onEnd();
    const waiting = this.#waiting;
    for (const { signal, leave } of waiting) signal.removeEventListener('abort', leave);
    // A map that is added to and deleted from leaves tables behind, which hold what was under way until the collector's
    // great round. That is not to be the answers.
    this.#waiting = [];
    return waiting;
  }
}
