import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { openGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';
import { post } from './test-setup.ts';

/** How the upstream treats connections and requests during the outage. */
interface Outage {
  name: string;
  /** Each connection is closed at once; connections are counted then. */
  dropsConnections?: boolean;
  /** The port is closed, and nothing can be counted. */
  closesPort?: boolean;
  respond?: RequestListener;
}

/** One operation of the load. */
interface Sample {
  startedAt: number;
  endedAt: number;
  ok: boolean;
  /** Whether the breaker rejected all of its calls. */
  rejected: boolean;
}

/** Longer than a busy machine needs for a call. */
const TIMEOUT_MS = 5_000;
/**
 * How many operations succeed before the outage, are rejected by the breaker, and succeed after the outage,
 * at least.
 */
const ENOUGH = 25;
const KEYS = 5;
/** Operations. */
const PER_SECOND = 25;
/** The least length of the outage. */
const OUTAGE_MS = 3_000;
const PROBE_MS = 250;
const IDLE_SHARE = 5;

const outages: Outage[] = [
  { name: 'closes every connection', dropsConnections: true },
  { name: 'answers 503', respond: (_, res) => res.writeHead(503).end() },
  { name: 'is silent', respond: () => {} },
  { name: 'has closed its port', closesPort: true },
];

describe.concurrent('an outage', () => {
  it.for(outages)(
    'causes few calls, fails fast, and ends with the upstream that $name',
    { timeout: 123_000 },
    async (outage, { expect }) => {
      const { samples, idle, calls, outAt, backAt } = await simulate(outage);
      const failures = samples.filter(({ ok }) => !ok);
      expect(failures.filter(({ endedAt }) => endedAt < outAt)).toEqual([]);
      // An operation makes one call, normally.
      const during = samples.filter(({ startedAt }) => startedAt >= outAt && startedAt < backAt);
      expect(calls).toBeLessThanOrEqual(during.length * 1.2);
      // Those that began before have waited for a connection.
      const openedAt = openingOf(samples);
      const whileOpen = during.filter(({ startedAt }) => startedAt > openedAt);
      const rejected = whileOpen.filter((each) => each.rejected);
      const fast = rejected.map(({ startedAt, endedAt }) => endedAt - startedAt);
      // Against requests that need no upstream: the breaker adds far less than the time limit of a call.
      expect(median(fast)).toBeLessThan(3 * median(idle) + 500);
      const probes = whileOpen.filter((each) => !each.rejected && !each.ok);
      expect(probes.length).toBeLessThanOrEqual((backAt - openedAt) / PROBE_MS + 1);
      // Once one has succeeded, or as a probe, none fails.
      const wellAt = Math.min(
        ...samples.filter(({ ok, endedAt }) => ok && endedAt >= backAt).map(({ endedAt }) => endedAt),
      );
      const isLate = ({ startedAt, rejected }: Sample) =>
        startedAt > wellAt || (startedAt > backAt && !rejected);
      expect(failures.filter(isLate)).toEqual([]);
    },
  );
});

function median(times: readonly number[]): number {
  return times.toSorted((one, two) => one - two)[Math.floor((times.length - 1) / 2)] ?? Number.NaN;
}

/** Operations over distinct sites, from five keys, with an outage in between. */
async function simulate(outage: Outage) {
  const upstream = await openUpstream(outage);
  const gateway = await openGateway(upstream.url, { UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) });
  const load = startLoad(gateway.url, 1000 / PER_SECOND);
  try {
    await load.counted(({ ok }) => ok);
    const outAt = performance.now();
    await upstream.fail();
    await pause(OUTAGE_MS);
    await load.counted(({ startedAt, rejected }, ended) => rejected && startedAt > openingOf(ended));
    const calls = upstream.calls();
    await upstream.recover();
    const backAt = performance.now();
    await load.counted(({ startedAt, ok }) => ok && startedAt > backAt);
    return { ...(await load.end()), calls, outAt, backAt };
  } finally {
    await load.end();
    await upstream.close();
    await gateway.close();
  }
}

function startLoad(url: string, intervalMs: number) {
  const pending: Promise<Sample>[] = [];
  const ended: Sample[] = [];
  const events = new EventEmitter();
  const idling: Promise<number>[] = [];
  const timer = setInterval(() => {
    pending.push(sample(pending.length));
    if (pending.length % IDLE_SHARE === 0) idling.push(idle());
  }, intervalMs);

  const idle = async () => (await post(url, '{ __typename }')).elapsedMs;

  async function sample(n: number): Promise<Sample> {
    const key = `outage-key-of-partner-${n % KEYS}`;
    const startedAt = performance.now();
    const query = `{ site(id: "SITE-${n}") { id } }`;
    const { response } = await post(url, query, { key, headers: { 'x-explain': 'report' } });
    const sources = response.extensions?.upstream?.calls.map(({ source }) => source) ?? [];
    const sample = {
      startedAt,
      endedAt: performance.now(),
      ok: response.errors === undefined,
      rejected: sources.every((source) => source === 'circuit-open'),
    };
    ended.push(sample);
    events.emit('sample');
    return sample;
  }

  return {
    /** Settles when enough of the operations have ended so. */
    async counted(isCounted: (sample: Sample, ended: readonly Sample[]) => boolean) {
      while (ended.filter((each) => isCounted(each, ended)).length < ENOUGH) await once(events, 'sample');
    },
    async end() {
      clearInterval(timer);
      return { samples: await Promise.all(pending), idle: await Promise.all(idling) };
    },
  };
}

/** When the breaker has rejected the first operation. */
function openingOf(samples: readonly Sample[]): number {
  return Math.min(...samples.filter(({ rejected }) => rejected).map(({ endedAt }) => endedAt));
}

/** An upstream that can fail, and counts the calls while it does. */
async function openUpstream({ dropsConnections = false, closesPort = false, respond }: Outage) {
  let isOut = false;
  let calls = 0;
  const server = createServer((req, res) => {
    if (!isOut) return sendJson(res, bareSite(siteFromPath(req.url ?? '').id));
    calls += 1;
    return respond?.(req, res);
  });
  server.on('connection', (socket) => {
    if (!isOut || !dropsConnections) return;
    calls += 1;
    socket.resetAndDestroy();
  });
  const listen = (port: number) =>
    new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  // Below the ephemeral ports, so that no other process takes it while it is closed.
  let port = randomPort();
  while (!(await listen(port))) port = randomPort();
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    async fail() {
      isOut = true;
      if (closesPort) await close();
      else if (dropsConnections) server.closeAllConnections();
    },
    async recover() {
      isOut = false;
      if (closesPort && !(await listen(port))) throw new Error('The port is taken.');
    },
    close,
  };
}

function randomPort(): number {
  return 10_000 + Math.floor(Math.random() * 20_000);
}
