import { expect, it } from 'vitest';
import { attacks, plain } from '../support/attacks.ts';
import { startMeasuredGateway } from '../support/gateway-process.ts';
import { startRichUpstream } from '../support/upstreams/rich.ts';

/**
 * Concurrent requests of one kind, and the factor by which they may raise the peak memory of plain requests.
 */
const concurrency = 20;
const maxMemory = 4;

it('needs little memory for the most expensive requests, twenty at a time', {
  timeout: 600_000,
}, async () => {
  const upstream = await startRichUpstream();
  const gateway = await startMeasuredGateway(upstream.url, plain, { FEDERATION: 'on' });
  const basePeak = (await gateway.usage()).peakBytes;
  for (const attack of Object.values(attacks)) {
    await Promise.all(Array.from({ length: concurrency }, () => gateway.post(attack)));
  }
  expect((await gateway.usage()).peakBytes / basePeak).toBeLessThan(maxMemory);
  expect((await gateway.send(plain)).status).toBe(200);
});
