import { expect } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { siteTarget, withKey } from '../support/server.ts';
import { type Api, expectStatus, globex, type Rules, read, targets } from './api.ts';

/** One problem of each kind that a read can cause. */
async function problemsOf(api: Api) {
  return [
    await expectStatus(api, '/v1/health', 403, {}),
    await expectStatus(api, siteTarget('malformed'), 400),
    await expectStatus(api, siteTarget('SITE-no such site'), 404),
    await expectStatus(api, '/v1/nothing', 404),
  ];
}

export const edgeRules: Rules = {
  'HEALTH-02 SHOULD health is { "status": "ok" }': async (api) =>
    expect(await read(api, '/v1/health')).toEqual({ status: 'ok' }),
  'METHOD-01 SHOULD HEAD is like GET, with its length and without its body': async (api) => {
    for (const target of [...targets, siteTarget('malformed'), '/v1/openapi.json']) {
      const [get, head] = [await api.send(target), await api.send(target, withKey(demoKeys.acme), 'HEAD')];
      expect([head.status, head.body]).toEqual([get.status, '']);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.body)));
    }
  },
  'METHOD-02 SHOULD other methods are a 405 with Allow: GET, HEAD': async (api) => {
    // The key is checked first.
    expect((await api.send('/v1/health', {}, 'PUT')).status).toBe(403);
    for (const target of [...targets, '/v1/openapi.json']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const { status, headers } = await api.send(target, withKey(demoKeys.acme), method);
        expect([status, headers.allow], method).toEqual([405, 'GET, HEAD']);
      }
    }
  },
  'ERROR-01 SHOULD an error is application/problem+json with type, title, status and detail (RFC 9457)':
    async (api) => {
      for (const { status, headers, body } of await problemsOf(api)) {
        expect(headers['content-type']).toBe('application/problem+json');
        const problem = JSON.parse(body);
        expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail']);
        expect(problem.status).toBe(status);
      }
    },
  'ERROR-02 SHOULD an error reveals no internals and repeats nothing of the request': async (api) => {
    for (const { body } of await problemsOf(api)) {
      expect(body).not.toMatch(/\bat \/|\/|node:|Error:|sql|no such site/i);
    }
  },
  'LIMIT-01 MUST each key has its own limit (5.7, 8)': async (api) => {
    const limited = await api.another({ rateLimit: { limit: 2, windowS: 60 } });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await limited.send('/v1/health')).status);
    expect(statuses).toEqual([200, 200, 429]);
    await expectStatus(limited, '/v1/health', 200, globex);
  },
  'LIMIT-03 SHOULD over the limit, every request is a 429 with Retry-After in seconds (8)': async (api) => {
    const limited = await api.another({ rateLimit: { limit: 1, windowS: 60 } });
    await expectStatus(limited, '/v1/health', 200);
    for (const target of [...targets, siteTarget('malformed'), '/v1/nothing']) {
      const { headers, body } = await expectStatus(limited, target, 429);
      expect(headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
      expect(headers['retry-after']).toBe(/t=(\d+)$/.exec(String(headers.ratelimit))?.[1]);
      expect(JSON.parse(body)).toMatchObject({ type: 'urn:partner-api:problem:rate-limited', status: 429 });
    }
  },
  'VERSION-03 SHOULD a deprecated version has Deprecation (RFC 9745) and Sunset (RFC 8594) on every response (9)':
    async (api) => {
      const deprecation = { date: new Date('2027-01-01'), sunset: new Date('2027-07-01') };
      const ending = await api.another({ deprecation });
      for (const target of [...targets, siteTarget('malformed'), '/v1/openapi.json', '/v2/health']) {
        const { headers } = await ending.send(target);
        expect(headers.deprecation).toBe('@1798761600');
        expect(headers.sunset).toBe('Thu, 01 Jul 2027 00:00:00 GMT');
      }
    },
};
