import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answersFrom } from '../../support/raw-answers.ts';
import { type Conversation, converse } from './connection.ts';
import { requestsOf } from './request.ts';
import { expectToHold, type Fuzz, timeout } from './runner.ts';
import { keys, placeIn, places } from './text.ts';

interface Case extends Omit<Conversation, 'patienceMs'> {
  key: string;
  mustBeAnswered: boolean;
}

const LONG_PATIENCE_MS = 10_000;
const SHORT_PATIENCE_MS = 50;

const endings = fc.oneof(
  { weight: 12, arbitrary: fc.constant('answered' as const) },
  { weight: 1, arbitrary: fc.constantFrom('half-closed' as const, 'destroyed' as const, 'reset' as const) },
);

const cases: fc.Arbitrary<Case> = keys.chain((key) =>
  fc
    .tuple(
      fc.array(requestsOf(key), { minLength: 1, maxLength: 2 }),
      fc.array(places, { maxLength: 3 }),
      endings,
    )
    .map(([requests, cuts, ending]) => ({
      key,
      writes: cutAt(requests.map(({ text }) => text).join(''), cuts),
      ending,
      answers: requests.length,
      // Of two, a bad second one may cut off the answer to the first.
      mustBeAnswered:
        ending === 'answered' && requests.length === 1 && requests.every(({ isTame }) => isTame),
    })),
);

/** The pieces of a text between places in it. */
function cutAt(text: string, cuts: readonly number[]): string[] {
  const ends = [...cuts.map((place) => placeIn(text.length, place)), text.length].sort((a, b) => a - b);
  return ends.map((end, n) => text.slice(ends[n - 1] ?? 0, end)).filter((piece) => piece !== '');
}

const fuzz: Fuzz<Case> = {
  cases,
  hold: (stage, { key, mustBeAnswered, ...conversation }) =>
    stage.hold(key, conversation.writes.join(''), async () => {
      const patienceMs = mustBeAnswered ? LONG_PATIENCE_MS : SHORT_PATIENCE_MS;
      const answers = answersFrom(await converse(stage.origin(), { ...conversation, patienceMs }));
      if (mustBeAnswered) expect(answers[0]?.isWhole, 'an answer').toBe(true);
      return answers.map(({ head, ...answer }) => ({ ...answer, text: `${head}\r\n\r\n${answer.body}` }));
    }),
};

it('answers whatever comes over a connection discreetly and at once', { timeout }, async () => {
  await expectToHold(fuzz);
});
