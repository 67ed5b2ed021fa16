import { type Signal, Switch } from '../signal.ts';
import { UpstreamAbandoned, UpstreamTimeout } from './errors.ts';

/** What a call is for. */
export interface Target {
  /** What the calls for one thing have in common, whatever they bring of it. */
  readonly thing: string;
  /** The path of the call. */
  readonly path: string;
  /** That path and, after it, those of the calls that bring at least as much. */
  paths(): readonly string[];
}

/** Hears how a call ended: one of these is called, once. */
export interface Landing<T> {
  answered(answer: T): void;
  failed(reason: Error): void;
}

/** Makes a call. It ends early, by failing with the signal's reason, when that aborts. */
type Call<T> = (signal: Signal, landing: Landing<T>) => void;

/**
 * Calls under way, by their owners and what they are for. Whoever asks for what is being fetched waits for it with the
 * others; the call is aborted when the last of those who wait has left, and nobody else's leaving touches it. What it
 * brings, an answer or an error, goes to those who waited and is kept for nobody.
 */
export interface Flights<T> {
  /** The first of the owner's calls for the target's paths that is under way and may be joined. */
  find(owner: string, target: Target): Flight<T> | undefined;
  /** A new one, which begins with its first passenger. */
  open(owner: string, target: Target, call: Call<T>): Flight<T>;
  /** How many calls are under way that may be joined. */
  readonly size: number;
}

export interface Flight<T> {
  /** The path of the call. */
  readonly path: string;
  /**
   * What `hear` makes of the answer. Rejects with what it throws, with the reason of `signal` when that aborts, with
   * UpstreamTimeout when the call has taken too long, or with what the call failed with.
   */
  wait<R>(signal: Signal, hear: (answer: T) => R): Promise<R>;
}

export interface FlightOptions {
  isShared: boolean;
  timeoutMs: number;
}

/** `isShared`: whether equal calls are joined; else each is made. One call may take `timeoutMs`. */
export function createFlights<T>({ isShared, timeoutMs }: FlightOptions): Flights<T> {
  const underway = new Underway<T>();
  return {
    find: (owner, target) => underway.find(nameOf(owner, target), target),
    open(owner, target, call) {
      const flight = new OneFlight<T>(nameOf(owner, target), target.path, call, timeoutMs, underway);
      if (isShared) underway.add(flight);
      return flight;
    },
    get size() {
      return underway.size;
    },
  };
}

/** A digest has one length, so no two of these pairs make one name. */
function nameOf(owner: string, { thing }: Target): string {
  return owner + thing;
}

/** The calls that may be joined. */
class Underway<T> {
  size = 0;
  /** Those for one thing of one owner, which are seldom more than one. */
  readonly #flights = new Map<string, OneFlight<T>[]>();

  find(name: string, target: Target): OneFlight<T> | undefined {
    const flights = this.#flights.get(name);
    if (!flights) return undefined;
    for (const path of target.paths()) {
      const flight = flights.find((one) => one.path === path);
      if (flight) return flight;
    }
    return undefined;
  }

  add(flight: OneFlight<T>): void {
    const beside = this.#flights.get(flight.name);
    if (beside) beside.push(flight);
    else this.#flights.set(flight.name, [flight]);
    this.size += 1;
  }

  /** Nothing where it is not here any more. */
  remove(flight: OneFlight<T>): void {
    const beside = this.#flights.get(flight.name);
    const place = beside?.indexOf(flight) ?? -1;
    if (!beside || place < 0) return;
    beside.splice(place, 1);
    if (beside.length === 0) this.#flights.delete(flight.name);
    this.size -= 1;
  }
}

/** One call, and who waits for it. What has ended lets go of all it had: it may be found by the collector long after. */
class OneFlight<T> implements Flight<T>, Landing<T> {
  readonly name: string;
  readonly path: string;
  readonly #underway: Underway<T>;
  readonly #timeoutMs: number;
  readonly #patience = new Switch();
  #call: Call<T> | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #passengers: Passenger<T>[] = [];

  constructor(name: string, path: string, call: Call<T>, timeoutMs: number, underway: Underway<T>) {
    this.name = name;
    this.path = path;
    this.#call = call;
    this.#timeoutMs = timeoutMs;
    this.#underway = underway;
  }

  wait<R>(signal: Signal, hear: (answer: T) => R): Promise<R> {
    return new Promise((resolve, reject) => {
      const land = (answer: T) => resolve(hear(answer));
      this.#passengers.push(new Passenger(this, signal, land, reject));
      if (this.#call) this.#begin(this.#call);
    });
  }

  #begin(call: Call<T>): void {
    this.#call = undefined;
    this.#deadline = setTimeout(() => this.#giveUp(new UpstreamTimeout(this.#timeoutMs)), this.#timeoutMs);
    call(this.#patience, this);
  }

  answered(answer: T): void {
    for (const passenger of this.#end()) passenger.land(answer);
  }

  failed(reason: Error): void {
    for (const passenger of this.#end()) passenger.fail(reason);
  }

  leave(passenger: Passenger<T>): void {
    this.#passengers.splice(this.#passengers.indexOf(passenger), 1);
    if (this.#passengers.length === 0) this.#giveUp(new UpstreamAbandoned());
  }

  #giveUp(reason: Error): void {
    clearTimeout(this.#deadline);
    this.#underway.remove(this);
    this.#patience.abort(() => reason);
  }

  #end(): Passenger<T>[] {
    clearTimeout(this.#deadline);
    // Before the waiting hear of it, so that nobody joins a call of which somebody has heard.
    this.#underway.remove(this);
    const passengers = this.#passengers;
    this.#passengers = [];
    return passengers;
  }
}

class Passenger<T> {
  readonly #signal: Signal;
  readonly #land: (answer: T) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onAbort: () => void;

  constructor(
    flight: OneFlight<T>,
    signal: Signal,
    land: (answer: T) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#land = land;
    this.#reject = reject;
    this.#onAbort = () => {
      this.fail(signal.reason);
      flight.leave(this);
    };
    signal.addEventListener('abort', this.#onAbort);
  }

  land(answer: T): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    try {
      this.#land(answer);
    } catch (error) {
      this.#reject(error);
    }
  }

  fail(reason: unknown): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#reject(reason);
  }
}
