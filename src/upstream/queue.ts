import type { Signal } from '../signal.ts';
import { UpstreamSpared } from './errors.ts';

/** Gives a connection back; to be called once. */
export type Leave = () => void;

/**
 * The wait for a connection, fair between keys: a call is admitted at once while connections are free, and else waits,
 * each key in a line of its own, the lines served in turn. A quarter of the connections is kept for keys that have none,
 * so that one with a thousand calls at work and waiting does not delay another's first.
 */
export interface Queue {
  /**
   * Admits one call of this key. Throws or rejects with UpstreamSpared where too many wait: when all places are taken,
   * the key with the most calls waiting loses its last. Rejects with the reason of `signal` when that aborts.
   */
  enter(owner: string, signal: Signal): Leave | Promise<Leave>;
  /** How many calls have a connection, and how many wait for one. */
  readonly atWork: number;
  readonly waiting: number;
}

/** Lines that nobody stands in are kept while they are few: most owners come again, and soon. */
const KEPT_LINES = 1000;

export function createQueue({ connections, places }: { connections: number; places: number }): Queue {
  const lines = new Map<string, Line>();
  /** The lines in which somebody waits, the next to be served first. */
  const turns = new Set<Line>();
  const kept = Math.floor(connections / 4);
  let atWork = 0;
  let waiting = 0;

  const isFreeFor = (line: Line) => atWork < connections - (line.atWork > 0 ? kept : 0);

  function begin(line: Line): Leave {
    atWork += 1;
    line.atWork += 1;
    return () => {
      atWork -= 1;
      line.atWork -= 1;
      tidy(line);
      if (waiting > 0) serve();
    };
  }

  function serve(): void {
    for (const line of turns) {
      if (atWork >= connections) return;
      const { first } = line;
      if (!first || !isFreeFor(line)) continue;
      turns.delete(line);
      remove(first);
      // To the end of the turns, where this very loop comes to it again while connections are free.
      if (line.length > 0) turns.add(line);
      first.admit(begin(line));
    }
  }

  function remove(waiter: Waiter): void {
    waiter.line.remove(waiter);
    waiting -= 1;
  }

  function tidy(line: Line): void {
    if (line.length > 0) return;
    turns.delete(line);
    if (line.atWork === 0 && lines.size > KEPT_LINES) lines.delete(line.owner);
  }

  /** Makes a place for one more call of this key, or throws. */
  function makePlace(own: Line): void {
    if (waiting < places) return;
    let longest = own;
    // This call counts as its key's: who has no more waiting does not give way to who comes later.
    let most = own.length + 1;
    for (const line of turns) {
      if (line.length <= most) continue;
      [longest, most] = [line, line.length];
    }
    if (longest === own) throw new UpstreamSpared('queue');
    const { last } = longest;
    if (!last) return;
    remove(last);
    tidy(longest);
    last.refuse(new UpstreamSpared('queue'));
  }

  function giveUp(waiter: Waiter): void {
    remove(waiter);
    tidy(waiter.line);
  }

  return {
    enter(owner, signal) {
      const line = lines.get(owner) ?? new Line(owner);
      if (line.length === 0 && isFreeFor(line)) {
        lines.set(owner, line);
        return begin(line);
      }
      makePlace(line);
      lines.set(owner, line);
      return new Promise((resolve, reject) => {
        line.add(new Waiter(line, signal, resolve, reject, giveUp));
        waiting += 1;
        turns.add(line);
      });
    },
    get atWork() {
      return atWork;
    },
    get waiting() {
      return waiting;
    },
  };
}

/** The calls of one key. Who waits is linked to his neighbours: a set would hold those who left in its old tables. */
class Line {
  readonly owner: string;
  atWork = 0;
  length = 0;
  first: Waiter | null = null;
  last: Waiter | null = null;

  constructor(owner: string) {
    this.owner = owner;
  }

  add(waiter: Waiter): void {
    waiter.before = this.last;
    if (this.last) this.last.after = waiter;
    else this.first = waiter;
    this.last = waiter;
    this.length += 1;
  }

  remove(waiter: Waiter): void {
    const { before, after } = waiter;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    // Who has left is not to hold who has not: the collector may come to the one long after the other.
    waiter.before = null;
    waiter.after = null;
    this.length -= 1;
  }
}

class Waiter {
  readonly line: Line;
  before: Waiter | null = null;
  after: Waiter | null = null;
  readonly #signal: Signal;
  readonly #resolve: (leave: Leave) => void;
  readonly #reject: (reason: Error) => void;
  readonly #onAbort: () => void;

  constructor(
    line: Line,
    signal: Signal,
    resolve: (leave: Leave) => void,
    reject: (reason: Error) => void,
    giveUp: (waiter: Waiter) => void,
  ) {
    this.line = line;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onAbort = () => {
      giveUp(this);
      this.refuse(signal.reason);
    };
    signal.addEventListener('abort', this.#onAbort);
  }

  admit(leave: Leave): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#resolve(leave);
  }

  refuse(reason: Error): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#reject(reason);
  }
}
