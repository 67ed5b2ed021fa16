import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attacks, plain } from '../support/attacks.ts';
import { type GaugedGateway, startGaugedGateway } from '../support/cost-gateway.ts';
import { startRichUpstream } from '../support/upstreams/rich.ts';

/** What docs/security.md says that a request costs at most, by its name there. */
interface Bound {
  calls: number;
  bytes: number;
  /** In plain requests. */
  cpu: number;
}

function readBounds(): Map<string, Bound> {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/security.md'), 'utf8');
  const section = page.slice(page.indexOf('## What one request can cost at most'));
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
/** Requests of one kind at once, and how many times the memory of plain ones they may bring a gateway to. */
const together = 20;
const maxMemory = 4;

/** The least CPU of a few tries: what else the process does meanwhile (a collection, a compilation) is noise. */
async function leastCpuMs(times: number, send: () => Promise<{ cpuMs: number }>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < times; n += 1) least = Math.min(least, (await send()).cpuMs);
  return least;
}

async function start() {
  const upstream = await startRichUpstream();
  const gateway = await startGaugedGateway(upstream.url);
  for (let n = 0; n < 300; n += 1) await gateway.send(plain);
  return { upstream, gateway, plainCpuMs: await meanCpuMs(gateway) };
}

async function meanCpuMs(gateway: GaugedGateway): Promise<number> {
  const before = await gateway.usage();
  for (let n = 0; n < 100; n += 1) await gateway.send(plain);
  return ((await gateway.usage()).cpuMs - before.cpuMs) / 100;
}

describe('what one request costs at most', () => {
  it('has a row in the documentation for every request that we know', () => {
    expect([...bounds.keys()]).toEqual(Object.keys(attacks));
  });

  it('is within the documented bounds, on both paths', { timeout: 180_000 }, async () => {
    const { upstream, gateway, plainCpuMs } = await start();
    const basePeak = (await gateway.usage()).peakBytes;
    const over: unknown[] = [];
    for (const [name, attack] of Object.entries(attacks)) {
      const bound = bounds.get(name) ?? { calls: 0, bytes: 0, cpu: 0 };
      const before = upstream.asked.length;
      // The third time an operation comes, it is compiled.
      const costs = [await gateway.send(attack), await gateway.send(attack), await gateway.send(attack)];
      const calls = (upstream.asked.length - before) / costs.length;
      const cpu = (await leastCpuMs(3, () => gateway.send(attack))) / plainCpuMs;
      const bytes = Math.max(...costs.map((cost) => cost.bytes));
      const errors = Math.max(...costs.map((cost) => cost.errors));
      if (calls > bound.calls || bytes > bound.bytes || cpu > bound.cpu || errors > maxErrors) {
        over.push({ name, calls, bytes, cpu: Math.round(cpu), errors, bound });
      }
    }
    expect(over).toEqual([]);
    for (const attack of Object.values(attacks)) {
      await Promise.all(Array.from({ length: together }, () => gateway.post(attack)));
    }
    expect((await gateway.usage()).peakBytes / basePeak).toBeLessThan(maxMemory);
    expect((await gateway.send(plain)).status).toBe(200);
  });
});
