import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { createMemoryCache } from '../../src/upstream/cache/memory-cache.ts';
import { createCaller } from '../../src/upstream/caller.ts';
import { UpstreamUnavailable } from '../../src/upstream/errors.ts';
import { createDisconnect, startClient } from '../support/client.ts';
import { apiKey } from '../support/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

const site = { ...bareSite('SITE-1'), clients: [] };

/** A client whose cached responses are served in place of failures only, and a scripted upstream. */
async function start() {
  const state: { respond(res: ServerResponse): unknown } = { respond: (res) => sendJson(res, site) };
  const upstream = await startUpstream((_, res) => state.respond(res));
  const { getSite, callerOf } = startClient(upstream.url, {
    CACHE_STALE_IF_ERROR_MS: '60000',
    retryPercent: 0,
  });
  return { state, get: (include: readonly 'clients'[] = []) => getSite(callerOf(apiKey), 'SITE-1', include) };
}

const failing = (res: ServerResponse) => sendJson(res, {}, 500);

it.each([401, 403, 404])('serves no stale response after a %i for the same resource', async (status) => {
  const { state, get } = await start();
  await get();
  await get(['clients']);
  state.respond = (res) => sendJson(res, {}, status);
  await get(['clients']).catch(() => {});
  state.respond = failing;
  await expect(get()).rejects.toBeInstanceOf(UpstreamUnavailable);
  await expect(get(['clients'])).rejects.toBeInstanceOf(UpstreamUnavailable);
});

it('serves no stale response after a newer one that must not be stored', async () => {
  const { state, get } = await start();
  await get();
  state.respond = (res) => sendJson(res, site, 200, { 'cache-control': 'no-store' });
  await get();
  state.respond = failing;
  await expect(get()).rejects.toBeInstanceOf(UpstreamUnavailable);
});

it('stores a copy of the body, not the larger block that it is a slice of', async () => {
  const cache = createMemoryCache(10_000);
  const caller = createCaller(apiKey, createDisconnect().signal, 10_000);
  const block = Buffer.alloc(8_192, 'x');
  const ttl = { freshMs: 60_000, staleMs: 0 };
  cache.set(caller, '/a', { body: block.subarray(100, 110), storedAtMs: Date.now(), ttl });
  const entry = await cache.get(caller, ['/a']);
  expect(entry?.body.toString()).toBe('x'.repeat(10));
  expect(entry?.body.buffer.byteLength).toBe(10);
});
