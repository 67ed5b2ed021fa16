import { Pool } from 'undici';
import { postOperation, sendAtRandomTimes } from '../load/arrivals.ts';

/** Before the measurement, while hundreds of connections open. */
const LEAD_SECONDS = 2;

/** How the operations of one load ended; durations in milliseconds, ascending. */
export interface Outcome {
  served: number[];
  refused: number[];
  seconds: number;
}

/** Opens operations against one gateway: each asks for another site. */
export function createLoad(url: string) {
  const pool = new Pool(new URL(url).origin, { connections: 512 });
  let asked = 0;

  async function ask(outcome: Outcome, dueAt: number): Promise<void> {
    asked += 1;
    const query = `query ($id: ID!) { site(id: $id) { id address1 city clients { id name } } }`;
    const operation = { query, variables: { id: `SITE-${asked}` } };
    const { statusCode, headers, text } = await postOperation(pool, `key-${asked % 100}`, operation);
    const isServed = statusCode === 200 && text.startsWith('{"data":{"site":{"id":');
    if (!isServed && !(statusCode === 503 && headers['retry-after'])) throw new Error(text.slice(0, 500));
    (isServed ? outcome.served : outcome.refused).push(performance.now() - dueAt);
  }

  async function run(seconds: number, load: (outcome: Outcome, endsAt: number) => Promise<unknown>) {
    const outcome: Outcome = { served: [], refused: [], seconds };
    await load(outcome, performance.now() + seconds * 1000);
    for (const took of [outcome.served, outcome.refused]) took.sort((a, b) => a - b);
    return outcome;
  }

  return {
    /** So many at a time, each asked when the one before it is answered. */
    inTurn: (atOnce: number, seconds: number) =>
      run(seconds, (outcome, endsAt) => {
        const one = async () => {
          while (performance.now() < endsAt) await ask(outcome, performance.now());
        };
        return Promise.all(Array.from({ length: atOnce }, one));
      }),
    /** At moments that do not wait for the gateway; counted from when each was due. */
    atRate: (perSecond: number, seconds: number) =>
      run(seconds, async (outcome) => {
        const countsFrom = performance.now() + LEAD_SECONDS * 1000;
        const lead: Outcome = { served: [], refused: [], seconds: LEAD_SECONDS };
        await sendAtRandomTimes({ perSecond, seconds: LEAD_SECONDS + seconds }, (dueAt) =>
          ask(dueAt < countsFrom ? lead : outcome, dueAt),
        );
      }),
    close: () => pool.close(),
  };
}
