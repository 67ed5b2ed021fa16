import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startBoth } from '../support/gateway.ts';
import { type Script, sendSite } from '../support/upstream.ts';
import { post } from './test-setup.ts';

/** Longer than a busy machine needs for a call. */
const TIMEOUT_MS = 3_000;
const PROBE_MS = 250;
/** Operations before the outage, when it begins, and after it: as many as the breaker remembers calls. */
const ENOUGH = 50;
const KEYS = 5;

it.each<[string, Script]>([
  ['answers 503', (_, res) => res.writeHead(503).end()],
  ['is silent', () => {}],
])('makes few calls in an outage, fails fast, and ends it with the upstream that %s', async (_, respond) => {
  const { send, fail, recover } = await start(respond);
  const together = () => Promise.all(Array.from({ length: ENOUGH }, send));
  expect((await together()).filter(({ ok }) => !ok)).toEqual([]);

  fail();
  const failing = await together();
  const openedAt = performance.now();
  const pending: Promise<Sample>[] = [];
  while (pending.length < 2 * ENOUGH || performance.now() - openedAt < 4 * PROBE_MS) {
    pending.push(send());
    await pause(10);
  }
  const elapsedMs = performance.now() - openedAt;
  const during = await Promise.all(pending);
  const operations = [...failing, ...during];
  expect(operations.filter(({ ok }) => ok)).toEqual([]);
  expect(operations.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(1.2 * operations.length);
  const probes = during.filter(({ calls }) => calls > 0);
  expect(probes.length).toBeLessThanOrEqual(elapsedMs / PROBE_MS + 1);
  const rejected = during.filter(({ calls }) => calls === 0);
  expect(Math.max(...rejected.map((sample) => sample.elapsedMs))).toBeLessThan(TIMEOUT_MS / 2);

  recover();
  const after = [await send()];
  while (!after.at(-1)?.ok) after.push(await send());
  // A probe succeeds, and so does every call after it.
  expect(after.filter(({ ok, calls }) => !ok && calls > 0)).toEqual([]);
  for (let n = 0; n < ENOUGH; n += 1) expect(await send()).toMatchObject({ ok: true });
});

/** One operation; `calls` were made, and not rejected by the breaker. */
interface Sample {
  ok: boolean;
  calls: number;
  elapsedMs: number;
}

/** A gateway, and an upstream that can fail. */
async function start(respond: Script) {
  let isOut = false;
  const { gateway } = await startBoth({ UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) }, (...call) =>
    (isOut ? respond : sendSite)(...call),
  );
  let count = 0;
  return {
    /** Sends an operation for a site of its own, with one of five keys. */
    async send(): Promise<Sample> {
      count += 1;
      const { response, elapsedMs } = await post(gateway.url, 'query ($id: ID!) { site(id: $id) { id } }', {
        variables: { id: `SITE-${count}` },
        key: `outage-key-of-partner-${count % KEYS}`,
        headers: { 'x-explain': 'report' },
      });
      const calls = response.extensions?.upstream?.calls ?? [];
      const made = calls.filter(({ source }) => source !== 'circuit-open');
      return { ok: response.errors === undefined, calls: made.length, elapsedMs };
    },
    fail() {
      isOut = true;
    },
    recover() {
      isOut = false;
    },
  };
}
