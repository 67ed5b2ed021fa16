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

interface Flight<T> {
  path: string;
  /** What it brings; null when it is over. */
  landing: Promise<T> | null;
  waiting: number;
  giveUp: ((reason: Error) => void) | null;
}

/** `isShared`: whether equal calls are joined; else each is made. One call may take `timeoutMs`. */
export function createFlights<T>({ isShared, timeoutMs }: FlightOptions): Flights<T> {
  const flights = new Map<string, Flight<T>>();

  function underway(owner: string, paths: readonly string[]): Flight<T> | undefined {
    if (flights.size === 0) return undefined;
    for (const path of paths) {
      const flight = flights.get(nameOf(owner, path));
      if (flight) return flight;
    }
    return undefined;
  }

  function start(owner: string, path: string, call: Call<T>): Flight<T> {
    const name = nameOf(owner, path);
    const patience = new Switch();
    const giveUp = (reason: Error) => {
      end();
      patience.abort(() => reason);
    };
    const deadline = setTimeout(() => giveUp(new UpstreamTimeout(timeoutMs)), timeoutMs);
    // Before the waiting hear of it, so that nobody joins a call whose outcome is known.
    const end = () => {
      clearTimeout(deadline);
      if (flights.get(name) === flight) flights.delete(name);
      // A map that is added to and deleted from leaves tables behind, which hold what was under way until the collector's
      // great round. That is not to be the answers.
      flight.landing = null;
      flight.giveUp = null;
    };
    const landing = call(patience).then(
      (answer) => {
        end();
        return answer;
      },
      (error: unknown) => {
        end();
        throw error;
      },
    );
    const flight: Flight<T> = { path, landing, waiting: 0, giveUp };
    if (isShared) flights.set(name, flight);
    return flight;
  }

  return {
    join(owner, paths, signal, call) {
      const [path = ''] = paths;
      const joined = underway(owner, paths);
      const flight = joined ?? start(owner, path, call);
      return { answer: wait(flight, signal), path: flight.path, isFirst: !joined };
    },
    get size() {
      return flights.size;
    },
  };
}

/** A digest has one length, so no two of these pairs make one name. */
function nameOf(owner: string, path: string): string {
  return owner + path;
}

export interface FlightOptions {
  isShared: boolean;
  timeoutMs: number;
}

function wait<T>(flight: Flight<T>, signal: Signal): Promise<T> {
  flight.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason);
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.giveUp?.(new UpstreamAbandoned());
    };
    signal.addEventListener('abort', leave);
    const settle = () => signal.removeEventListener('abort', leave);
    flight.landing?.then(
      (answer) => {
        settle();
        resolve(answer);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}
