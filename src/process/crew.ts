import { createBackoff } from './backoff.ts';
import { type Health, healthOf } from './health.ts';
import { type Member, wordsOf } from './member.ts';

/** As many workers as there are to be. */
export interface Crew {
  /** Starts them all. Resolves to why that cannot be, or to undefined once all serve. */
  start(): Promise<string[] | undefined>;
  /**
   * Replaces one after the other, each only when the next one serves. Where that cannot be, the rest stay as they are.
   */
  renew(): Promise<void>;
  /** What each that runs tells of itself, by its number; of one that does not answer nothing. */
  readMetrics(): Promise<Told[]>;
  /** Whether a worker that serves or drains responds. Between two workers it is for the supervisor to start the next. */
  liveness(): Promise<Health>;
  /** Whether a worker serves and responds, and none of them has been told to stop. */
  readiness(): Promise<Health>;
  retire(): void;
  /** Dismisses all of them. Resolves to whether each has ended well. */
  end(): Promise<boolean>;
  kill(): void;
}

/** The metrics of a worker, as its registry tells them. */
interface Told {
  id: number | undefined;
  metrics: object | undefined;
}

export interface CrewOptions {
  count: number;
  startMember(): Member;
  /** How long the calls of one that is dismissed may take. */
  drainMs(): number;
  log: (line: string) => void;
}

type State = 'starting' | 'serving' | 'leaving';

export function createCrew({ count, startMember, drainMs, log }: CrewOptions): Crew {
  const states = new Map<Member, State>();
  const waitAfter = createBackoff();
  let isRetired = false;
  let isEnding = false;

  /** One that has served is replaced when it dies; one that has not, only where nobody waits to hear of that. */
  function add(isAwaited: boolean): Member {
    const member = startMember();
    states.set(member, 'starting');
    void member.ready.then((faults) => {
      if (!faults && states.has(member)) states.set(member, 'serving');
      if (isRetired) member.retire();
      if (faults && !isAwaited && !isEnding) for (const fault of faults) log(fault);
    });
    void member.ended.then((end) => {
      const state = states.get(member);
      states.delete(member);
      if (isEnding || state === 'leaving' || (state === 'starting' && isAwaited)) return;
      const waitMs = waitAfter(performance.now() - member.startedMs);
      const when = waitMs === 0 ? 'at once' : `in ${waitMs / 1000} s`;
      log(`worker ${member.pid} exited (${wordsOf(end)}): starting another ${when}`);
      addLater(waitMs);
    });
    return member;
  }

  function addLater(waitMs: number): void {
    setTimeout(() => {
      if (isEnding) return;
      try {
        add(false);
      } catch (fault) {
        // The machine has no place for one more process: it may have later.
        log(`a worker could not be started: ${fault}`);
        addLater(waitAfter(0));
      }
    }, waitMs);
  }

  function membersIn(...wanted: State[]): Member[] {
    return [...states].filter(([, state]) => wanted.includes(state)).map(([member]) => member);
  }

  function dismiss(member: Member): Member['ended'] {
    states.set(member, 'leaving');
    member.dismiss(drainMs());
    return member.ended;
  }

  return {
    async start() {
      const first = Array.from({ length: count }, () => add(true));
      const faults = await Promise.all(first.map(({ ready }) => ready));
      return faults.find((found) => found !== undefined);
    },
    async renew() {
      for (const old of [...states.keys()]) {
        // One that is just starting may have read the old configuration already.
        if (states.get(old) === 'starting') await old.ready;
        if (isEnding || isRetired) return;
        if (states.get(old) !== 'serving') continue;
        const next = add(true);
        const faults = await next.ready;
        if (isEnding || isRetired) return;
        if (faults) return log(`reload failed, the workers are unchanged: ${faults.join('; ')}`);
        // The old one may have died meanwhile, and been replaced.
        await dismiss(states.has(old) ? old : next);
      }
      log('reload: all workers were replaced');
    },
    readMetrics() {
      return Promise.all(
        membersIn('serving', 'leaving').map(async (member) => ({
          id: member.pid,
          metrics: await member.readMetrics(),
        })),
      );
    },
    liveness: () => healthOf(membersIn('serving', 'leaving'), 'ok'),
    async readiness() {
      if (isRetired || isEnding) return 'draining';
      return healthOf(membersIn('serving'), 'starting');
    },
    retire() {
      isRetired = true;
      for (const member of states.keys()) member.retire();
    },
    async end() {
      isEnding = true;
      const ends = [...states].map(async ([member, state]) => {
        if (state === 'serving') dismiss(member);
        if (state === 'starting') member.kill();
        const { code } = await member.ended;
        return code === 0 || state === 'starting';
      });
      return (await Promise.all(ends)).every((isWell) => isWell);
    },
    kill() {
      isEnding = true;
      for (const member of states.keys()) member.kill();
    },
  };
}
