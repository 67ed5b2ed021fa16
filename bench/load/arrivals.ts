import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'undici';

interface Arrivals {
  perSecond: number;
  seconds: number;
  /** From 0 up to 1, as `Math.random`. */
  random?: () => number;
}

/**
 * Calls `send` at random times (a Poisson process) that do not depend on the responses, with the time at which each
 * request is due. Settles with all results.
 */
export async function sendAtRandomTimes<Result>(
  { perSecond, seconds, random = Math.random }: Arrivals,
  send: (dueAt: number) => Promise<Result>,
): Promise<Result[]> {
  const startedAt = performance.now();
  const running: Promise<Result>[] = [];
  let dueMs = 0;
  for (;;) {
    dueMs += (-Math.log(1 - random()) / perSecond) * 1000;
    if (dueMs >= seconds * 1000) break;
    const waitMs = startedAt + dueMs - performance.now();
    if (waitMs >= 1) await pause(waitMs);
    running.push(send(startedAt + dueMs));
  }
  return Promise.all(running);
}

/** Posts one GraphQL operation, and reads the response. */
export async function postOperation(
  pool: Pool,
  key: string,
  operation: { query: string; variables: Record<string, unknown> },
) {
  const { statusCode, headers, body } = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key },
    body: JSON.stringify(operation),
  });
  return { statusCode, headers, text: await body.text() };
}
