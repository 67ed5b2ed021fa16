import { Pool } from 'undici';
import { randomFrom } from '../fixtures/draw.ts';
import { postOperation, sendAtRandomTimes } from '../load/arrivals.ts';
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
 * Opens dashboards at random times, and returns how many milliseconds each took, in ascending order. Rejects at the
 * first incomplete response.
 */
export async function runLoad({ url, ownership, seed, perSecond, seconds }: LoadOptions): Promise<number[]> {
  const pool = new Pool(new URL(url).origin, { connections: 256 });
  const random = randomFrom(seed + 1);
  const opened = dashboards(ownership, seed);
  const took = await sendAtRandomTimes({ perSecond, seconds, random }, (dueAt) =>
    open(pool, opened.next().value, dueAt),
  );
  await pool.close();
  return took.sort((a, b) => a - b);
}

/** Measured from when it was due, so that time in a queue counts. */
async function open(pool: Pool, { key, conversationId }: Dashboard, dueAt: number): Promise<number> {
  const { text } = await postOperation(pool, key, { query, variables: { id: conversationId } });
  const { data, errors } = JSON.parse(text) as { data?: { conversationContext: unknown }; errors?: unknown };
  if (errors !== undefined || !data?.conversationContext) throw new Error(text.slice(0, 500));
  return performance.now() - dueAt;
}
