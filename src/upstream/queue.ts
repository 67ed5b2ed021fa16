import { UpstreamSpared } from './errors.ts';

/** Who wants a connection. */
export interface Guest {
  /** Has one now, after a wait. */
  admitted(): void;
  /** Has lost the place in the line, and needs not leave. */
  refused(reason: UpstreamSpared): void;
}

/** What a guest has: a connection, or a place in the line. */
export interface Stay {
  readonly isAdmitted: boolean;
  /** Gives back what it has; nothing where that is given back. */
  leave(): void;
}

/**
 * The wait for a connection, fair between keys: a call is admitted at once while connections are free, and else waits,
 * each key in a line of its own, the lines served in turn. A quarter of the connections is kept for keys that have none,
 * so that one with a thousand calls at work and waiting does not delay another's first.
 */
export interface Queue {
  /**
   * Admits one call of this key, or lets it wait. Who is admitted at once is not told.
   * @throws UpstreamSpared where too many wait: when all places are taken, the key with the most calls waiting loses its last
   */
  enter(owner: string, guest: Guest): Stay;
  /** How many calls have a connection, and how many wait for one. */
  readonly atWork: number;
  readonly waiting: number;
}

/** Lines that nobody stands in are kept while they are few: most owners come again, and soon. */
const KEPT_LINES = 1000;

export function createQueue(options: { connections: number; places: number }): Queue {
  return new FairQueue(options);
}

class FairQueue implements Queue {
  atWork = 0;
  waiting = 0;
  readonly #connections: number;
  readonly #places: number;
  readonly #kept: number;
  readonly #lines = new Map<string, Line>();
  /** The lines in which somebody waits, the next to be served first. */
  readonly #turns = new Set<Line>();
  /** Who has been admitted and not been told. */
  #untold: OneStay[] = [];

  constructor({ connections, places }: { connections: number; places: number }) {
    this.#connections = connections;
    this.#places = places;
    this.#kept = Math.floor(connections / 4);
  }

  enter(owner: string, guest: Guest): Stay {
    const line = this.#lineOf(owner);
    const stay = new OneStay(this, line, guest);
    if (line.length === 0 && this.#isFreeFor(line)) {
      this.#begin(stay);
    } else {
      this.#makeRoom(line);
      line.add(stay);
      this.waiting += 1;
      this.#turns.add(line);
    }
    return stay;
  }

  /** For who gives a connection back. */
  end({ line }: OneStay): void {
    this.atWork -= 1;
    line.atWork -= 1;
    this.#tidy(line);
    if (this.waiting > 0) this.#serve();
  }

  /** For who waits no more. */
  giveUp(stay: OneStay): void {
    this.#remove(stay);
    this.#tidy(stay.line);
  }

  #lineOf(owner: string): Line {
    const known = this.#lines.get(owner);
    if (known) return known;
    const line = new Line(owner);
    this.#lines.set(owner, line);
    return line;
  }

  #isFreeFor(line: Line): boolean {
    return this.atWork < this.#connections - (line.atWork > 0 ? this.#kept : 0);
  }

  #begin(stay: OneStay): void {
    this.atWork += 1;
    stay.line.atWork += 1;
    stay.state = 'admitted';
  }

  #serve(): void {
    for (const line of this.#turns) {
      if (this.atWork >= this.#connections) return;
      const { first } = line;
      if (!first || !this.#isFreeFor(line)) continue;
      this.#turns.delete(line);
      this.#remove(first);
      // To the end of the turns, where this very loop comes to it again while connections are free.
      if (line.length > 0) this.#turns.add(line);
      this.#begin(first);
      // Not before who has left is done: what he had is his until then.
      if (this.#untold.push(first) === 1) queueMicrotask(() => this.#tell());
    }
  }

  #tell(): void {
    const told = this.#untold;
    this.#untold = [];
    for (const { isAdmitted, guest } of told) if (isAdmitted) guest.admitted();
  }

  /** Makes a place for one more call of this key, or throws. */
  #makeRoom(own: Line): void {
    if (this.waiting < this.#places) return;
    let longest = own;
    // This call counts as its key's: who has no more waiting does not give way to who comes later.
    let most = own.length + 1;
    for (const line of this.#turns) {
      if (line.length <= most) continue;
      [longest, most] = [line, line.length];
    }
    const { last } = longest;
    if (longest === own || !last) throw new UpstreamSpared('queue');
    last.leave();
    last.guest.refused(new UpstreamSpared('queue'));
  }

  #remove(stay: OneStay): void {
    stay.line.remove(stay);
    this.waiting -= 1;
  }

  #tidy(line: Line): void {
    if (line.length > 0) return;
    this.#turns.delete(line);
    if (line.atWork === 0 && this.#lines.size > KEPT_LINES) this.#lines.delete(line.owner);
  }
}

/** The calls of one key. Who waits is linked to his neighbours: a set would hold those who left in its old tables. */
class Line {
  readonly owner: string;
  atWork = 0;
  length = 0;
  first: OneStay | null = null;
  last: OneStay | null = null;

  constructor(owner: string) {
    this.owner = owner;
  }

  add(stay: OneStay): void {
    stay.before = this.last;
    if (this.last) this.last.after = stay;
    else this.first = stay;
    this.last = stay;
    this.length += 1;
  }

  remove(stay: OneStay): void {
    const { before, after } = stay;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    // Who has left is not to hold who has not: the collector may come to the one long after the other.
    stay.before = null;
    stay.after = null;
    this.length -= 1;
  }
}

class OneStay implements Stay {
  state: 'waiting' | 'admitted' | 'gone' = 'waiting';
  readonly line: Line;
  readonly guest: Guest;
  before: OneStay | null = null;
  after: OneStay | null = null;
  readonly #queue: FairQueue;

  constructor(queue: FairQueue, line: Line, guest: Guest) {
    this.#queue = queue;
    this.line = line;
    this.guest = guest;
  }

  get isAdmitted(): boolean {
    return this.state === 'admitted';
  }

  leave(): void {
    const { state } = this;
    this.state = 'gone';
    if (state === 'admitted') this.#queue.end(this);
    else if (state === 'waiting') this.#queue.giveUp(this);
  }
}
