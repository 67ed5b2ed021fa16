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
}

interface Line {
  atWork: number;
  waiting: Set<Waiter>;
}

interface Waiter {
  admit(leave: Leave): void;
  refuse(error: Error): void;
}

/** Lines that nobody stands in are kept while they are few: most owners come again, and soon. */
const KEPT_LINES = 1000;

export function createQueue({ connections, places }: { connections: number; places: number }): Queue {
  const lines = new Map<string, Line>();
  /** The keys that wait, the next to be served first. */
  const turns = new Set<string>();
  const kept = Math.floor(connections / 4);
  let atWork = 0;
  let waiting = 0;

  const isFreeFor = (line: Line) => atWork < connections - (line.atWork > 0 ? kept : 0);

  function begin(owner: string, line: Line): Leave {
    atWork += 1;
    line.atWork += 1;
    return () => {
      atWork -= 1;
      line.atWork -= 1;
      tidy(owner, line);
      serve();
    };
  }

  function serve(): void {
    for (const owner of turns) {
      if (atWork >= connections) return;
      const line = lines.get(owner);
      const [next] = line?.waiting ?? [];
      if (!line || !next || !isFreeFor(line)) continue;
      drop(owner, line, next);
      // To the end of the turns, where this very loop comes to it again while connections are free.
      if (line.waiting.size > 0) turns.add(owner);
      next.admit(begin(owner, line));
    }
  }

  function drop(owner: string, line: Line, waiter: Waiter): void {
    line.waiting.delete(waiter);
    waiting -= 1;
    turns.delete(owner);
  }

  function tidy(owner: string, line: Line): void {
    if (line.waiting.size === 0) turns.delete(owner);
    if (line.atWork === 0 && line.waiting.size === 0 && lines.size > KEPT_LINES) lines.delete(owner);
  }

  /** Makes a place for one more call of this key, or throws. */
  function makePlace(own: Line): void {
    if (waiting < places) return;
    let [longest, ownerOfLongest] = [own, ''];
    // This call counts as its key's: who has no more waiting does not give way to who comes later.
    let most = own.waiting.size + 1;
    for (const owner of turns) {
      const line = lines.get(owner);
      if (!line || line.waiting.size <= most) continue;
      [longest, ownerOfLongest, most] = [line, owner, line.waiting.size];
    }
    if (longest === own) throw new UpstreamSpared('queue');
    const last = [...longest.waiting].at(-1);
    if (!last) return;
    longest.waiting.delete(last);
    waiting -= 1;
    tidy(ownerOfLongest, longest);
    last.refuse(new UpstreamSpared('queue'));
  }

  function stand(owner: string, line: Line, signal: Signal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const settle = () => signal.removeEventListener('abort', giveUp);
      const waiter: Waiter = {
        admit(leave) {
          settle();
          resolve(leave);
        },
        refuse(error) {
          settle();
          reject(error);
        },
      };
      const giveUp = () => {
        line.waiting.delete(waiter);
        waiting -= 1;
        tidy(owner, line);
        waiter.refuse(signal.reason);
      };
      signal.addEventListener('abort', giveUp);
      line.waiting.add(waiter);
      waiting += 1;
      turns.add(owner);
    });
  }

  return {
    enter(owner, signal) {
      const line = lines.get(owner) ?? { atWork: 0, waiting: new Set() };
      if (line.waiting.size === 0 && isFreeFor(line)) {
        lines.set(owner, line);
        return begin(owner, line);
      }
      makePlace(line);
      lines.set(owner, line);
      return stand(owner, line, signal);
    },
  };
}
