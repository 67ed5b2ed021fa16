import { describe, it } from 'vitest';
import { type Findings, type Outage, simulate } from './outage.ts';

/** The least length of the outage. By hand: a minute, one test after the other, with twice the load. */
const byHand = process.env.OUTAGE_S;
const seconds = Number(byHand ?? 3);
const perSecond = byHand ? 50 : 25;
const PROBE_MS = 250;

const outages: Outage[] = [
  { name: 'closes every connection', dropsConnections: true },
  { name: 'answers 503', respond: (_, res) => res.writeHead(503).end() },
  { name: 'is silent', respond: () => {} },
  { name: 'has closed its port', closesPort: true },
];

(byHand ? describe.sequential : describe.concurrent)('an outage', () => {
  it.for(outages)(
    'causes few calls, fails fast, and ends with the upstream that $name',
    { timeout: (seconds + 120) * 1000 },
    async (outage, { expect }) => {
      const findings = await simulate(outage, seconds * 1000, perSecond);
      if (byHand) console.info(summary(outage, findings));
      const { operations, calls, openFor, fast, idle, probes, failuresAfter, failuresBefore } = findings;
      expect(failuresBefore).toBe(0);
      expect(calls).toBeLessThanOrEqual(operations * 1.2);
      // Against requests that need no upstream: the breaker adds far less than the time limit of a call.
      expect(percentile(fast, 50)).toBeLessThan(3 * percentile(idle, 50) + 500);
      expect(probes).toBeLessThanOrEqual(openFor / PROBE_MS + 1);
      expect(failuresAfter).toBe(0);
    },
  );
});

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.floor(((sorted.length - 1) * percent) / 100)] ?? Number.NaN;
}

function summary({ name }: Outage, { fast, idle, ...findings }: Findings): string {
  const spread = (times: number[]) =>
    [50, 95, 100].map((percent) => percentile(times, percent).toFixed(1)).join(' / ');
  const rest = Object.entries(findings).map(([finding, value]) => `${finding} ${Math.round(value)}`);
  return `${name}: ${rest.join(', ')}, fast failures ${fast.length}, ms ${spread(fast)}, idle ${spread(idle)}`;
}
