import { Pool } from 'undici';
import { plantKeys } from './canary.ts';
import { apiKey } from './gateway.ts';
import { sendSite, startUpstream } from './upstream.ts';

/** An upstream that responds after `responseMs`. */
export function startSlowUpstream(responseMs: number) {
  return startUpstream((req, res) => {
    setTimeout(() => sendSite(req, res), responseMs);
  });
}

/** Sends requests over persistent connections, one at a time on each, until it is stopped. */
export function startLoad(origin: string) {
  const connections = 64;
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 30_000 });
  const { expectAbsent } = plantKeys(origin, apiKey);
  /** One line for each request that failed. */
  const failures: string[] = [];
  let done = 0;
  let isOver = false;
  let tick: (() => void) | undefined;

  async function post(id: string): Promise<void> {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ query: `{ site(id: "${id}") { id } }` }),
    });
    const text = await body.text();
    expectAbsent(text);
    if (text !== `{"data":{"site":{"id":"${id}"}}}`) throw new Error(`${statusCode} ${text}`);
  }

  async function repeat(client: number): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      try {
        await post(`SITE-${client}-${turn}`);
      } catch (error) {
        failures.push(String(error));
        // Refused connections would otherwise be retried a thousand times a second.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      done += 1;
      tick?.();
    }
  }

  const clients = Array.from({ length: connections }, (_, client) => repeat(client));
  return {
    failures,
    /** Settles after `count` more requests have succeeded or failed. */
    more(count: number): Promise<void> {
      const until = done + count;
      return new Promise((resolve) => {
        tick = () => {
          if (done >= until) resolve();
        };
      });
    },
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(clients);
      await pool.close();
    },
  };
}
