import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { randomFrom } from '../fixtures/draw.ts';
import { type Dashboard, dashboards, type Ownership } from './dashboards.ts';

const query = `query ($id: ID!) {
  conversationContext(id: $id) {
    subject
    status
    messages(last: 3) { author text }
    sites {
      address
      site { id address1 city serviceLevel clients { id name } projects { id name } }
    }
  }
}`;

export interface LoadOptions {
  url: string;
  ownership: Ownership;
  seed: number;
  perSecond: number;
  seconds: number;
}

/**
 * Opens dashboards at moments that do not wait for the gateway, as people do, and tells how many milliseconds each took,
 * in ascending order. Rejects at the first answer that is not whole.
 */
export async function runLoad({ url, ownership, seed, perSecond, seconds }: LoadOptions): Promise<number[]> {
  const pool = new Pool(new URL(url).origin, { connections: 256 });
  const random = randomFrom(seed + 1);
  const opened = dashboards(ownership, seed);
  const startedAt = performance.now();
  const running: Promise<number>[] = [];
  let dueMs = 0;
  for (;;) {
    dueMs += (-Math.log(1 - random()) / perSecond) * 1000;
    if (dueMs >= seconds * 1000) break;
    const waitMs = startedAt + dueMs - performance.now();
    if (waitMs >= 1) await pause(waitMs);
    running.push(open(pool, opened.next().value, startedAt + dueMs));
  }
  const took = await Promise.all(running);
  await pool.close();
  return took.sort((a, b) => a - b);
}

/** Counted from when it was due: what comes late because of a queue was slow all the same. */
async function open(pool: Pool, { key, conversationId }: Dashboard, dueAt: number): Promise<number> {
  const { body } = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, variables: { id: conversationId } }),
  });
  const text = await body.text();
  const { data, errors } = JSON.parse(text) as { data?: { conversationContext: unknown }; errors?: unknown };
  if (errors !== undefined || !data?.conversationContext) throw new Error(text.slice(0, 500));
  return performance.now() - dueAt;
}
