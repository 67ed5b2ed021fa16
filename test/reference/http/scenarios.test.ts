import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import type { ObservedRequest } from '../../../reference/http/api.ts';
import { scenarioNames } from '../../../reference/scenarios/scenario.ts';
import type { ReferenceOptions } from '../../../reference/server.ts';
import { startProcess } from '../../support/process.ts';
import { contextTarget, sendRequest, siteTarget, startFresh, withKey } from '../support/server.ts';

const site = siteTarget('SITE-1001');
const context = contextTarget('5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00');
const json = { 'content-type': 'application/json' };

/** A reference, with its requests, and a function that sets its scenario. */
async function start(changes: Partial<ReferenceOptions> = {}) {
  const requests: ObservedRequest[] = [];
  const { url } = await startFresh({ onRequest: (request) => requests.push(request), ...changes });
  const post = async (body: string, headers: Record<string, string> = json, method = 'POST') => {
    const init = { method, headers, ...(method === 'POST' && { body }) };
    const response = await fetch(`${url}/__scenario`, init);
    return { status: response.status, body: await response.text() };
  };
  const set = async (scenario: object) => {
    const { status, body } = await post(JSON.stringify(scenario));
    expect({ status, body: JSON.parse(body) }).toMatchObject({ status: 200, body: scenario });
  };
  return { url, requests, post, set };
}

const statusOf = async (server: { url: string }, target: string, key: string = demoKeys.acme) =>
  (await sendRequest(server, target, withKey(key))).status;

it('delays the responses of a path, and of no other', async () => {
  const server = await start();
  await server.set({ scenario: 'slow', path: '/v1/site', delayMs: 500 });
  expect([await statusOf(server, site), await statusOf(server, context)]).toEqual([200, 200]);
  const [, slow, fast] = server.requests;
  expect(slow?.durationMs).toBeGreaterThan(490);
  expect(fast?.durationMs).toBeLessThan(490);
  await server.set({});
  expect(await statusOf(server, site)).toBe(200);
  expect(server.requests.at(-1)?.durationMs).toBeLessThan(490);
});

it('lets a share of the requests fail with 503, the same ones each time', async () => {
  const server = await start();
  const draw = async () => {
    await server.set({ scenario: 'flaky', share: 0.3 });
    const statuses: number[] = [];
    for (let n = 0; n < 40; n += 1) statuses.push(await statusOf(server, site));
    return statuses;
  };
  const first = await draw();
  expect(new Set(first)).toEqual(new Set([200, 503]));
  expect(first.filter((status) => status === 503).length).toBeLessThan(20);
  expect(await draw()).toEqual(first);
  await server.set({ scenario: 'flaky', share: 1 });
  const { status, headers } = await sendRequest(server, site);
  expect(status).toBe(503);
  // With one, no client would retry at once.
  expect(headers['retry-after']).toBeUndefined();
});

it('limits one key, or all valid ones', async () => {
  const server = await start();
  await server.set({ scenario: 'limited', key: demoKeys.acme.slice(0, 8), retryAfterS: 7 });
  const { status, headers, body } = await sendRequest(server, site);
  expect({ status, retryAfter: headers['retry-after'], quota: headers.ratelimit }).toEqual({
    status: 429,
    retryAfter: '7',
    quota: '"key";r=0;t=7',
  });
  expect(JSON.parse(body)).toMatchObject({ type: 'urn:partner-api:problem:rate-limited' });
  expect(await statusOf(server, site, demoKeys.globex)).toBe(200);
  await server.set({ scenario: 'limited' });
  expect(await statusOf(server, site, demoKeys.globex)).toBe(429);
  expect(await statusOf(server, site, `${demoKeys.acme.slice(0, 8)}-and-another-rest`)).toBe(403);
});

it('closes connections without a response', async () => {
  const server = await start();
  await server.set({ scenario: 'down', path: site });
  await expect(sendRequest(server, site)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(server.requests.at(-1)).toMatchObject({ path: site, status: null, keyName: 'demo-acm' });
  expect(await statusOf(server, `${site}0`)).toBe(404);
  expect(server.requests).toHaveLength(3);
});

it('drifts from the document: a new field, a missing one, other types', async () => {
  const server = await start();
  const read = async (target: string) => JSON.parse((await sendRequest(server, target)).body);
  const targets = [`${site}?include=clients`, context];
  const before = [await read(targets[0] ?? ''), await read(context)];
  await server.set({ scenario: 'drifting' });
  for (const [n, target] of targets.entries()) {
    const drifted: Record<string, unknown> = await read(target);
    const change = Object.entries({ ...before[n], ...drifted }).filter(
      ([name]) => JSON.stringify(before[n][name]) !== JSON.stringify(drifted[name]),
    );
    const kinds = change.map(([name]) => [name, typeof before[n][name], typeof drifted[name]]);
    expect(kinds).toContainEqual([expect.any(String), 'undefined', expect.any(String)]);
    expect(kinds).toContainEqual([expect.any(String), expect.any(String), 'undefined']);
    expect(kinds.length).toBeGreaterThan(3);
  }
  expect(await read('/v1/health')).toEqual({ status: 'ok' });
  expect(await statusOf(server, '/v1/site/SITE-0999')).toBe(404);
});

it('announces its end, and that little is left of the limit', async () => {
  // In place of the end that its settings announce.
  const server = await start({ deprecation: { date: new Date(0), sunset: undefined } });
  await server.set({ scenario: 'sunset', remaining: 2, days: 1 });
  const { headers } = await sendRequest(server, site);
  expect(headers.ratelimit).toMatch(/^"key";r=2;t=\d+$/);
  expect(headers.deprecation).toMatch(/^@[1-9]\d+$/);
  const leftMs = Date.parse(String(headers.sunset)) - Date.now();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThan(86_400_000);
  expect(headers.link).toMatch(/^<https:.*>; rel="sunset"$/);
});

it('rejects what is no scenario', async () => {
  const server = await start();
  for (const [body, fault] of [
    ['{', 'must be one of slow'],
    ['{"scenario":"__proto__"}', `must be one of ${scenarioNames.join(', ')}; {} ends it`],
    ['{"scenario":"slow","delay":5}', 'delay'],
    ['{"scenario":"slow","delayMs":60001}', 'delayMs '],
    ['{"scenario":"slow","path":"/v2"}', 'path must be /v1 or a path below it, without a query'],
    [`{"scenario":"limited","key":"${demoKeys.acme}"}`, 'key must be the first eight characters'],
    [`"${'x'.repeat(1_000)}"`, 'the body must be at most 1000 bytes'],
  ] as const) {
    const response = await server.post(body);
    expect(response.status, body).toBe(400);
    expect(JSON.parse(response.body).detail).toContain(fault);
    expect(response.body).not.toContain(demoKeys.acme);
  }
  expect(await statusOf(server, site)).toBe(200);
});

it('takes no scenario of a web page, and none by another method', async () => {
  const server = await start();
  const body = '{"scenario":"down"}';
  for (const header of [{ origin: 'null' }, { origin: server.url }, { 'sec-fetch-site': 'same-origin' }]) {
    const { status } = await server.post(body, { 'content-type': 'text/plain', ...header } as Record<
      string,
      string
    >);
    expect(status, JSON.stringify(header)).toBe(403);
  }
  expect((await server.post('', {}, 'GET')).status).toBe(404);
  expect(await statusOf(server, site)).toBe(200);
});

const address = Object.values(networkInterfaces())
  .flat()
  .find((found) => found?.family === 'IPv4' && !found.internal)?.address;

it.skipIf(!address)('takes no scenario from another address than the loopback one', async () => {
  const { url } = await startFresh({ host: '0.0.0.0' });
  const { port } = new URL(url);
  const post = async (host: string) =>
    (await fetch(`http://${host}:${port}/__scenario`, { method: 'POST', body: '{}' })).status;
  expect([await post(address ?? ''), await post('127.0.0.1')]).toEqual([404, 200]);
});

it('has no scenario in production', async () => {
  const server = await start({ environment: 'production', scenario: 'down' });
  expect((await server.post('{"scenario":"down"}')).status).toBe(404);
  expect((await sendRequest(server, '/v1/health', {})).status).toBe(403);
  const args = ['--scenario', 'down'];
  const program = await startProcess('reference/main.ts', { NODE_ENV: 'production' }, args);
  const stderr = expect.stringContaining('NODE_ENV=production');
  expect(await program.exit()).toEqual({ code: 1, stdout: '', stderr });
});
