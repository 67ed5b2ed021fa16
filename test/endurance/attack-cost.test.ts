import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attacks, plain } from '../support/attacks.ts';
import { startMeasuredGateway } from '../support/gateway-process.ts';
import { startRichUpstream } from '../support/upstreams/rich.ts';

/** What a request may cost, as docs/security.md documents it. */
interface Bound {
  calls: number;
  bytes: number;
  /** In units of a plain request. */
  cpu: number;
}

function readBounds(): Map<string, Bound> {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/security.md'), 'utf8');
  const section = page.slice(page.indexOf('## The maximum cost of a request'));
  const rows = section.matchAll(/^\| ([^|]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm);
  const number = (text = '') => Number(text.replaceAll(',', ''));
  return new Map(
    [...rows].map(([, name = '', calls, bytes, cpu]) => [
      name,
      { calls: number(calls), bytes: number(bytes), cpu: number(cpu) },
    ]),
  );
}

const bounds = readBounds();
const maxErrors = 10;
/** Concurrent requests of one kind, and the factor by which they may raise the peak memory of plain requests. */
const concurrency = 20;
const maxMemory = 4;

/** The least CPU time of three requests: garbage collection and compilation are noise. */
async function leastCpuMs(send: () => Promise<{ cpuMs: number }>): Promise<number> {
  return Math.min((await send()).cpuMs, (await send()).cpuMs, (await send()).cpuMs);
}

describe('what one request costs at most', () => {
  it('is documented for every attack', () => {
    expect([...bounds.keys()]).toEqual(Object.keys(attacks));
  });

  it('is within the documented bounds, on both paths', { timeout: 600_000 }, async () => {
    const upstream = await startRichUpstream();
    const gateway = await startMeasuredGateway(upstream.url, plain, { FEDERATION: 'on' });
    const over: unknown[] = [];
    for (const [name, attack] of Object.entries(attacks)) {
      const bound = bounds.get(name) ?? { calls: 0, bytes: 0, cpu: 0 };
      const before = upstream.requests.length;
      // A document is kept from its second time on.
      const costs = [await gateway.send(attack), await gateway.send(attack), await gateway.send(attack)];
      const calls = (upstream.requests.length - before) / costs.length;
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
      let cpu = await measureCpu();
      for (let n = 0; n < 4 && cpu > bound.cpu; n += 1) cpu = Math.min(cpu, await measureCpu());
      const bytes = Math.max(...costs.map((cost) => cost.bytes));
      const errors = Math.max(...costs.map((cost) => cost.errors));
      if (calls > bound.calls || bytes > bound.bytes || cpu > bound.cpu || errors > maxErrors) {
        over.push({ name, calls, bytes, cpu: Math.round(cpu), errors, bound });
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
