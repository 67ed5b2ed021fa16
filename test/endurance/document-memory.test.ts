import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { startGaugedGateway } from '../support/memory-gateway.ts';
import { startForgetfulUpstream } from '../support/upstreams/flaky.ts';

const DOCUMENTS = 5_000;
const CHARACTERS = 100_000;
const MAX_CACHE_BYTES = 10_000_000;
/** Besides what is kept: room for what the engine itself keeps of so many texts. */
const SLACK_BYTES = 20_000_000;

const longFilling = 'x'.repeat(CHARACTERS);

/** Half of them have to be executed, half are refused; no two have one text. */
async function ask(url: string, from: number, count: number, filling = longFilling): Promise<number[]> {
  const pool = new Pool(new URL(url).origin, { connections: 8 });
  const statuses: number[] = [];
  let next = from;
  const worker = async () => {
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
  await Promise.all(Array.from({ length: 8 }, worker));
  await pool.close();
  return statuses;
}

it.each([
  ['that may be executed', { MAX_BODY_BYTES: '1000000', MAX_DOCUMENT_CHARACTERS: '1000000' }],
  ['that are over the limit', {}],
])('keeps no more of 5,000 documents %s than it may', { timeout: 120_000 }, async (_, env) => {
  const upstream = await startForgetfulUpstream();
  const settings = { ...env, DOCUMENT_CACHE_BYTES: String(MAX_CACHE_BYTES) };
  const gateway = await startGaugedGateway(upstream.url, settings);
  await ask(gateway.url, 0, 50);
  const before = await gateway.read();
  const statuses = await ask(gateway.url, 50, DOCUMENTS);
  const after = await gateway.read();
  expect(statuses).toHaveLength(DOCUMENTS);
  expect(statuses.every((status) => status === 200 || status === 400)).toBe(true);
  expect(upstream.asked()).toBe(0);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAX_CACHE_BYTES + SLACK_BYTES);
  expect(await gateway.stop()).toBe('');
});

it('keeps no more of 2,500 short documents than it may, wrong ones among them', {
  timeout: 120_000,
}, async () => {
  const upstream = await startForgetfulUpstream();
  const gateway = await startGaugedGateway(upstream.url, { DOCUMENT_CACHE_BYTES: String(MAX_CACHE_BYTES) });
  await ask(gateway.url, 0, 50, '');
  const before = await gateway.read();
  await ask(gateway.url, 50, DOCUMENTS / 2, '');
  const after = await gateway.read();
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAX_CACHE_BYTES + SLACK_BYTES);
  expect(await gateway.stop()).toBe('');
});
