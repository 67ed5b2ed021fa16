import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { scaled } from '../support/scale.ts';
import { startFlakyUpstream } from '../support/upstreams/flaky.ts';
import { memoryOptions } from './idle.ts';

const DOCUMENTS = scaled(250);
/** The memory of the document cache. */
const MAX_CACHE_BYTES = 33_554_432;
/** What V8 itself keeps of so many texts. */
const SLACK_BYTES = 20_000_000;
const timeout = 120_000 + DOCUMENTS * 100;

/** Of some two thirds of the longest document. */
const longFilling = 'x'.repeat(20_000);
const tooLongFilling = 'x'.repeat(100_000);

/** Sends distinct documents: every second one is valid, the others are refused. */
async function postDocuments(
  url: string,
  from: number,
  count: number,
  filling = longFilling,
): Promise<number[]> {
  const pool = new Pool(new URL(url).origin, { connections: 8 });
  const statuses: number[] = [];
  let next = from;
  const sendInTurn = async () => {
    for (let n = next++; n < from + count; n = next++) {
      const field = n % 2 === 0 ? '__type' : 'nothing';
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', 'x-api-key': 'key-of-some-length' },
        body: JSON.stringify({ query: `{ ${field}(name: "${n}${filling}") { name } }` }),
      });
      await body.dump();
      statuses.push(statusCode);
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendInTurn));
  await pool.close();
  return statuses;
}

it.each([
  ['long', longFilling],
  ['too long', tooLongFilling],
  ['short', ''],
])('caches at most 32 MiB of documents that are %s', { timeout }, async (_, filling) => {
  const upstream = await startFlakyUpstream();
  const { options, warnings } = memoryOptions();
  const gateway = await startGatewayProcess(upstream.url, options);
  await postDocuments(gateway.url, 0, 50, filling);
  const before = await gateway.read('memory');
  const statuses = await postDocuments(gateway.url, 50, DOCUMENTS, filling);
  const after = await gateway.read('memory');
  expect(statuses).toHaveLength(DOCUMENTS);
  expect(statuses.every((status) => status === 200 || status === 400)).toBe(true);
  expect(upstream.requestCount()).toBe(0);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAX_CACHE_BYTES + SLACK_BYTES);
  await gateway.stop();
  expect(warnings).toEqual([]);
});
