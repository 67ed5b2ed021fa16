import fc from 'fast-check';
import { expect, it } from 'vitest';
import { responsesFrom } from '../../support/raw-responses.ts';
import { type Conversation, converse } from './connection.ts';
import { requestsOf } from './request.ts';
import { expectToHold, type Fuzz, timeout } from './runner.ts';
import { keys, placeIn, places } from './text.ts';

interface Case extends Omit<Conversation, 'timeoutMs'> {
  key: string;
  needsResponse: boolean;
}

const LONG_TIMEOUT_MS = 60_000;
const SHORT_TIMEOUT_MS = 50;

const endings = fc.oneof(
  { weight: 12, arbitrary: fc.constant('complete' as const) },
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
      responses: requests.length,
      // Of two, a malformed second request may close the connection before the response to the first.
      needsResponse: ending === 'complete' && requests.length === 1 && requests.every(({ isTame }) => isTame),
    })),
);

/** The pieces of a text between places in it. */
function cutAt(text: string, cuts: readonly number[]): string[] {
  const ends = [...cuts.map((place) => placeIn(text.length, place)), text.length].sort((a, b) => a - b);
  return ends.map((end, n) => text.slice(ends[n - 1] ?? 0, end)).filter((piece) => piece !== '');
}

const fuzz: Fuzz<Case> = {
  cases,
  check: (setup, { key, needsResponse, ...conversation }) =>
    setup.check(key, conversation.writes.join(''), async () => {
      const timeoutMs = needsResponse ? LONG_TIMEOUT_MS : SHORT_TIMEOUT_MS;
      const responses = responsesFrom(await converse(setup.origin(), { ...conversation, timeoutMs }));
      if (needsResponse) expect(responses[0]?.isWhole, 'a response').toBe(true);
      return responses.map(({ head, ...response }) => ({
        ...response,
        text: `${head}\r\n\r\n${response.body}`,
      }));
    }),
};

it('responds to any bytes on a connection quickly, without leaking a key', { timeout }, async () => {
  await expectToHold(fuzz);
});
