import { describe, expect, it } from 'vitest';
import { demoKeys } from '../../src/reference/data/demo-ids.ts';
import { codes } from '../support/gateway.ts';
import { hasPostgres } from '../support/postgres.ts';
import { freshRedisUrl, redisIsReachable } from '../support/redis.ts';
import { hasRedisServer, startRedisServer } from '../support/redis-server.ts';
import { explain, postUntil, startBalancer, startMachines } from './machines.ts';

const hasRedis = await redisIsReachable();
/** The gateway and the reference promise a second; the rest is for a busy machine. */
const LONGEST_REVOCATION_MS = 10_000;

describe.skipIf(!hasPostgres || !hasRedis)('two gateways before two references', () => {
  it('reject a key soon after its revocation', async () => {
    const { gateways, keys, issueKey } = await startMachines({ redisUrl: freshRedisUrl() });
    const key = await issueKey();
    // Every process has accepted it.
    for (const { url } of gateways) {
      expect(await explain(url, key)).toMatchObject({ status: 200, source: 'network' });
    }
    const refusals = gateways.map(async ({ url }) => {
      const responses = await postUntil(
        () => explain(url, key),
        ({ status }) => status !== 200,
      );
      return { last: responses.at(-1), at: performance.now() };
    });
    expect(await keys('revoke', key.slice(0, 8))).toMatchObject({ code: 0 });
    const revokedAt = performance.now();
    for (const { last, at } of await Promise.all(refusals)) {
      expect(last?.status).toBe(403);
      expect(last && codes(last)).toEqual(['FORBIDDEN']);
      expect(at - revokedAt).toBeLessThan(LONGEST_REVOCATION_MS);
    }
    for (const { url } of gateways) expect(await explain(url, demoKeys.acme)).toMatchObject({ status: 200 });
  });
});

describe.skipIf(!hasPostgres || !hasRedisServer)('a Redis that is stopped and started again', () => {
  it('slows down two gateways and two references, without other effects', async () => {
    const redis = await startRedisServer();
    const env = { CACHE_TTL_MS: '600000' };
    const { gateways } = await startMachines({ redisUrl: redis.url, env, between: startBalancer });
    /** Sends requests to both until a response comes from `source`; every response until then must be complete. */
    const serveFrom = async (source: string) => {
      for (const { url } of gateways) {
        const responses = await postUntil(
          () => explain(url, demoKeys.acme),
          (response) => response.source === source,
        );
        for (const response of responses) {
          expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-1001', city: 'Bend' } } });
        }
      }
    };
    await serveFrom('cache');
    await redis.stop();
    await serveFrom('network');
    await redis.start();
    // It is empty, and fills again.
    await serveFrom('cache');
    for (const gateway of gateways) {
      gateway.kill('SIGTERM');
      expect(await gateway.end()).toEqual({
        code: 0,
        complaints: ['CACHE_URL is unreachable: responses and rate limits are not shared'],
      });
    }
  });
});
