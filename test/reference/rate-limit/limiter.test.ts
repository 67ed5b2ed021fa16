import { expect, it } from 'vitest';
import { demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { passTime } from '../support/clock.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

const target = siteTarget(demoSites().main);
const rateLimit = (limit: number, windowS = 60) => ({ rateLimit: { limit, windowS } });

it('does not count requests that have only the name of a key', async () => {
  const reference = await startFresh(rateLimit(1));
  const forged = { 'x-api-key': `${demoKeys.acme.slice(0, 8)}-another-secret` };
  const { status, headers } = await sendRequest(reference, target, forged);
  expect(status).toBe(403);
  expect(headers).not.toHaveProperty('ratelimit');
  expect((await sendRequest(reference, target)).status).toBe(200);
});

it('begins a new window after the first, which rejected requests do not prolong', async () => {
  const reference = await startFresh(rateLimit(1, 600));
  expect((await sendRequest(reference, target)).status).toBe(200);
  passTime(300);
  expect((await sendRequest(reference, target)).status).toBe(429);
  passTime(300);
  expect((await sendRequest(reference, target)).status).toBe(200);
});
