import { connect } from 'node:net';
import fc from 'fast-check';
import { it } from 'vitest';
import { responsesFrom } from '../../support/raw-responses.ts';
import { bodyCases } from '../differential/bodies.ts';
import { openConnection } from '../differential/connection.ts';
import { acceptCases, headCases } from '../differential/heads.ts';
import { corpusKey } from '../differential/requests.ts';
import { expectToHold, keys, timeout } from './test-setup.ts';
import { placeIn, places } from './tokens.ts';

type Edit = (text: string) => string;

const bytes = fc.constantFrom('', '\0', '\r', '\n', '\r\n', ' ', '\t', ':', '\x7f', '\xff', '{', 'a');

/** Changes, removes or cuts off bytes anywhere. */
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(places, fc.nat(2), bytes).map(([place, over, byte]) => (text: string) => {
    const at = placeIn(text.length, place);
    return text.slice(0, at) + byte + text.slice(at + over);
  }),
  places.map((place) => (text: string) => text.slice(0, placeIn(text.length, place))),
  fc.constant((text: string) => `${text}\r\n`),
);

/** A request of the corpus, as it stands there or with an edit: then it may be incomplete. */
const cases = fc
  .tuple(
    keys,
    fc.constantFrom(...headCases, ...bodyCases, ...acceptCases),
    fc.option(edits, { nil: undefined }),
  )
  .map(([key, { wire, responses }, edit]) => {
    const whole = wire.replaceAll(corpusKey, key);
    return { key, wire: edit?.(whole) ?? whole, responses: edit ? undefined : responses };
  });

const LONGEST_SILENCE_MS = 50;

/** Ends the connection when the server is silent: the bytes may not be a complete request. */
function sendIncomplete(origin: string, wire: string): Promise<string> {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  // The server may reset the connection.
  socket.on('error', () => {}).setTimeout(LONGEST_SILENCE_MS, () => socket.end());
  socket.once('end', () => socket.end());
  socket.write(wire, 'latin1');
  return new Promise((resolve) => socket.once('close', () => resolve(received)));
}

it('responds to any bytes on a connection quickly, without leaking a key', { timeout }, async () => {
  await expectToHold(cases, (setup, { key, wire, responses }) =>
    setup.check(key, wire, async () => {
      if (responses === undefined) {
        return responsesFrom({ bytes: await sendIncomplete(setup.origin(), wire), isEnded: true });
      }
      const connection = await openConnection(setup.origin());
      const exchange = await connection.exchange(wire, responses);
      connection.close();
      return exchange.responses;
    }),
  );
});
