import fc from 'fast-check';
import { scaled, testSeed } from '../../support/scale.ts';
import { Stall, startTestSetup, type TestSetup } from './test-setup.ts';

const QUICK_RUNS = 150;
/** How many cases a run has. */
const runs = scaled(QUICK_RUNS);
const seed = testSeed ?? Math.trunc(Math.random() * 2 ** 31);

const CONCURRENCY = 8;
/** One valid request is sent after so many cases. */
const CHECK_EVERY = 50;
const MAX_SHOWN = 10_000;
const LONGEST_SHRINKING_MS = 120_000;

/** The time limit of a run. */
export const timeout = 120_000 + LONGEST_SHRINKING_MS + runs * 100;

/** How to draw a case, and how to check it. */
export interface Fuzz<Case> {
  cases: fc.Arbitrary<Case>;
  check(setup: TestSetup, one: Case): Promise<void>;
}

/**
 * Checks random cases against one gateway, several concurrently. Each is drawn with its own seed, so that a failing case
 * is repeated alone, on a new gateway, and shrunk.
 */
export async function expectToHold<Case>({ cases, check }: Fuzz<Case>): Promise<void> {
  const setup = await startTestSetup();
  const propertyOn = (where: TestSetup) => fc.asyncProperty(cases, (one) => check(where, one));
  let next = 0;

  async function work(failures: Failure[]): Promise<void> {
    while (next < runs && failures.length === 0) {
      const number = next++;
      const parameters = { seed: seedOf(number), numRuns: 1, endOnFailure: true };
      const { failed, counterexample, errorInstance } = await fc.check(propertyOn(setup), parameters);
      if (failed) failures.push({ number, shown: shown(counterexample?.[0]), error: errorInstance });
      if (number % CHECK_EVERY === 0) await setup.expectHealthy();
    }
  }

  while (next < runs) {
    const failures: Failure[] = [];
    const works = Array.from({ length: CONCURRENCY }, () => work(failures));
    const broken = (await Promise.allSettled(works)).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    );
    for (const { number } of failures) {
      const alone = await startTestSetup();
      await expectAlone(propertyOn(alone), seedOf(number));
      await alone.close();
    }
    // Concurrent requests may block the event loop together though none does alone.
    const [beside] = failures.filter(({ error }) => !(error instanceof Stall));
    const repeat = `TEST_SEED=${seed} TEST_SCALE=${next / QUICK_RUNS}`;
    if (beside) {
      throw new Error(`Fails only among others: ${repeat}\n${beside.shown}`, {
        cause: beside.error,
      });
    }
    if (broken.length > 0)
      throw new Error(`The gateway no longer answers a valid request: ${repeat}`, { cause: broken[0] });
  }
  await setup.expectHealthy();
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
    `Repeat: TEST_SEED=${seedOfCase} TEST_SCALE=0\nshrunk ${numShrinks} times: ${shown(counterexample?.[0])}`,
    { cause: errorInstance },
  );
}

/** Abbreviated: a request may be very long. */
function shown(one: unknown): string {
  const text = fc.stringify(one);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… and ${text.length - MAX_SHOWN} more` : text;
}

/** The first case of a run has the seed of the run; those of later cases are far apart. */
function seedOf(number: number): number {
  return number === 0 ? seed : Math.imul(seed + number, 0x9e3779b1) ^ (number << 7);
}
