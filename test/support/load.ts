import { Pool } from 'undici';
import { plantKeys } from './canary.ts';
import { apiKey } from './gateway.ts';
import { bareSite, sendJson, siteAsked, startUpstream } from './upstream.ts';

/** An upstream whose answers take their time. */
export function startSlowUpstream(answerMs: number) {
  return startUpstream((req, res) => {
    setTimeout(() => sendJson(res, bareSite(siteAsked(req.url ?? '').id)), answerMs);
  });
}

/** Asks over so many kept connections, each again as soon as it is answered, until it is told to stop. */
export function startLoad(origin: string, connections = 64) {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 30_000 });
  const { expectUnsaid } = plantKeys(origin, apiKey);
  /** What became of each request that was not answered well. */
  const failures: string[] = [];
  let answered = 0;
  let isOver = false;
  let tick: (() => void) | undefined;

  async function ask(id: string): Promise<void> {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ query: `{ site(id: "${id}") { id } }` }),
    });
    const text = await body.text();
    expectUnsaid(text);
    if (text !== `{"data":{"site":{"id":"${id}"}}}`) throw new Error(`${statusCode} ${text}`);
  }

  async function repeat(caller: number): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      try {
        await ask(`SITE-${caller}-${turn}`);
        answered += 1;
      } catch (error) {
        failures.push(String(error));
        // Whoever is refused the connection would else ask a thousand times a second.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      tick?.();
    }
  }

  const callers = Array.from({ length: connections }, (_, caller) => repeat(caller));
  return {
    failures,
    answered: () => answered,
    /** Settles when so many more requests have been answered, or have failed. */
    more(count: number): Promise<void> {
      const until = answered + failures.length + count;
      return new Promise((resolve) => {
        tick = () => {
          if (answered + failures.length >= until) resolve();
        };
      });
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(callers);
      await pool.close();
    },
  };
}
