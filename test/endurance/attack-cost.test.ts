import { describe, expect, it } from 'vitest';
import { bounds } from '../support/attack-bounds.ts';
import { attacks, plain } from '../support/attacks.ts';
import { startMeasuredGateway } from '../support/gateway-process.ts';
import { startRichUpstream } from '../support/upstreams/rich.ts';

const maxErrors = 10;
/** Concurrent requests of one kind, and the factor by which they may raise the peak memory of plain requests. */
const concurrency = 20;
const maxMemory = 4;

/** The least CPU time of three requests: garbage collection and compilation are noise. */
async function leastCpuMs(send: () => Promise<{ cpuMs: number }>): Promise<number> {
  return Math.min((await send()).cpuMs, (await send()).cpuMs, (await send()).cpuMs);
}

describe('what one request costs at most', () => {
  it('has a bound for every attack', () => {
    expect(Object.keys(bounds)).toEqual(Object.keys(attacks));
  });

  it('is within these bounds, on both paths', { timeout: 600_000 }, async () => {
    const upstream = await startRichUpstream();
    const gateway = await startMeasuredGateway(upstream.url, plain, { FEDERATION: 'on' });
    const over: unknown[] = [];
    for (const [name, attack] of Object.entries(attacks)) {
      const [calls, bytes, cpu] = bounds[name] ?? [0, 0, 0];
      const before = upstream.requests.length;
      // A document is kept from its second time on.
      const costs = [await gateway.send(attack), await gateway.send(attack), await gateway.send(attack)];
      const made = (upstream.requests.length - before) / costs.length;
      let documents = 0;
      const measureCpu = async () => {
        const warmMs = await leastCpuMs(() => gateway.send(attack));
        // A document that came before is neither parsed nor validated again.
        const coldMs = await leastCpuMs(() => {
          documents += 1;
          return gateway.send({ ...attack, query: `${attack.query}#${documents}` });
        });
        return Math.max(warmMs, coldMs) / gateway.plainCpuMs;
      };
      // What another program has caused is not there again.
      let used = await measureCpu();
      for (let n = 0; n < 4 && used > cpu; n += 1) used = Math.min(used, await measureCpu());
      const sent = Math.max(...costs.map((cost) => cost.bytes));
      const errors = Math.max(...costs.map((cost) => cost.errors));
      if (made > calls || sent > bytes || used > cpu || errors > maxErrors) {
        over.push({ name, made, sent, used: Math.round(used), errors, bound: [calls, bytes, cpu] });
      }
    }
    expect(over).toEqual([]);
  });

  it('is little memory for the most expensive requests, twenty at a time', { timeout: 600_000 }, async () => {
    const upstream = await startRichUpstream();
    const gateway = await startMeasuredGateway(upstream.url, plain, { FEDERATION: 'on' });
    const basePeak = (await gateway.usage()).peakBytes;
    for (const attack of Object.values(attacks)) {
      await Promise.all(Array.from({ length: concurrency }, () => gateway.post(attack)));
    }
    expect((await gateway.usage()).peakBytes / basePeak).toBeLessThan(maxMemory);
    expect((await gateway.send(plain)).status).toBe(200);
  });
});
