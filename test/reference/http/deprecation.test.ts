import { expect, it } from 'vitest';
import { demoSites } from '../../../src/reference/data/demo-ids.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

const date = new Date('2027-01-01');
const targets = [
  siteTarget(demoSites().main),
  siteTarget('SITE-none'),
  siteTarget('malformed'),
  '/v1/nothing',
  '/v1/openapi.json',
  '/v2/health',
];

it('adds Deprecation and Sunset to every response', async () => {
  const reference = await startFresh({ deprecation: { date, sunset: new Date('2027-07-01') } });
  const responses = [
    ...(await Promise.all(targets.map((target) => sendRequest(reference, target)))),
    await sendRequest(reference, '/v1/health', {}),
    await sendRequest(reference, '/v1/health', undefined, 'PUT'),
    await sendRequest(reference, '/v1/health', { host: 'a b' }),
    await sendRequest(reference, '/v1/health', { 'x-large': 'x'.repeat(40_000) }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 400, 404, 200, 404, 403, 405, 400, 431]);
  for (const { headers } of responses) {
    expect(headers).toMatchObject({ deprecation: '@1798761600', sunset: 'Thu, 01 Jul 2027 00:00:00 GMT' });
  }
  expect((await sendRequest(reference, '/v1/openapi.json')).body).toContain('"deprecated":true');
});

it('omits Sunset without a date', async () => {
  const { headers } = await sendRequest(
    await startFresh({ deprecation: { date, sunset: undefined } }),
    '/v1/health',
  );
  expect(headers.deprecation).toBe('@1798761600');
  expect(headers).not.toHaveProperty('sunset');
});

it('adds neither by default', async () => {
  const reference = await startFresh();
  const { headers } = await sendRequest(reference, '/v1/health');
  expect(headers).not.toHaveProperty('deprecation');
  expect(headers).not.toHaveProperty('sunset');
  expect((await sendRequest(reference, '/v1/openapi.json')).body).not.toContain('"deprecated":true');
});
