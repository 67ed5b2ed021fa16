import fc from 'fast-check';
import { openStage, type Stage, Stall } from './stage.ts';

/** How many cases a run has. `FUZZ_SEED` repeats the run that reported it: with `FUZZ_RUNS=1` its first case alone. */
const runs = Number(process.env.FUZZ_RUNS ?? 1500);
const seed = Number(process.env.FUZZ_SEED ?? Math.trunc(Math.random() * 2 ** 31));

const AT_ONCE = 8;
/** How many cases pass from one request that must be well to the next. */
const CHECK_EVERY = 50;
const MAX_SHOWN = 10_000;
const LONGEST_SHRINKING_MS = 120_000;

/** What a run may take. */
export const timeout = 60_000 + LONGEST_SHRINKING_MS + runs * 30;

/** A case, and how it is seen that all is well with it. */
export interface Fuzz<Case> {
  cases: fc.Arbitrary<Case>;
  hold(stage: Stage, one: Case): Promise<void>;
}

/**
 * Holds random cases against one gateway, some at a time. Each is drawn with a seed of its own, so that one that fails
 * can be tried again alone, on a fresh gateway, and made smaller.
 */
export async function expectToHold<Case>({ cases, hold }: Fuzz<Case>): Promise<void> {
  const stage = await openStage();
  const holdsFor = (where: Stage) => fc.asyncProperty(cases, (one) => hold(where, one));
  let next = 0;

  async function work(failures: Failure[]): Promise<void> {
    while (next < runs && failures.length === 0) {
      const number = next++;
      const parameters = { seed: seedOf(number), numRuns: 1, endOnFailure: true };
      const { failed, counterexample, errorInstance } = await fc.check(holdsFor(stage), parameters);
      if (failed) failures.push({ number, shown: shown(counterexample?.[0]), error: errorInstance });
      if (number % CHECK_EVERY === 0) await stage.expectWell();
    }
  }

  while (next < runs) {
    const failures: Failure[] = [];
    const works = Array.from({ length: AT_ONCE }, () => work(failures));
    const broken = (await Promise.allSettled(works)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    for (const { number } of failures) {
      const alone = await openStage();
      await expectAlone(holdsFor(alone), seedOf(number));
      await alone.close();
    }
    // Requests that come together may take together what none of them takes alone.
    const [beside] = failures.filter(({ error }) => !(error instanceof Stall));
    const repeat = `FUZZ_SEED=${seed} FUZZ_RUNS=${next}`;
    if (beside) {
      throw new Error(`Fails beside others, and not alone: ${repeat}\n${beside.shown}`, {
        cause: beside.error,
      });
    }
    if (broken.length > 0) throw new Error(`Is not well any more: ${repeat}`, { cause: broken[0] });
  }
  await stage.expectWell();
}

interface Failure {
  number: number;
  shown: string;
  error: unknown;
}

async function expectAlone<Case>(property: fc.IAsyncProperty<[Case]>, seedOfCase: number): Promise<void> {
  const { failed, counterexample, errorInstance, numShrinks } = await fc.check<[Case]>(property, {
    seed: seedOfCase,
    numRuns: 1,
    interruptAfterTimeLimit: LONGEST_SHRINKING_MS,
  });
  if (!failed) return;
  throw new Error(
    `Again, alone: FUZZ_SEED=${seedOfCase} FUZZ_RUNS=1\nmade smaller ${numShrinks} times: ${shown(counterexample?.[0])}`,
    { cause: errorInstance },
  );
}

/** A request may be longer than anybody reads. */
function shown(one: unknown): string {
  const text = fc.stringify(one);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… and ${text.length - MAX_SHOWN} more` : text;
}

/** The first case of a run has the run's seed; those after it are far from each other. */
function seedOf(number: number): number {
  return number === 0 ? seed : Math.imul(seed + number, 0x9e3779b1) ^ (number << 7);
}
