import { expect, it } from 'vitest';
import { sendRequest, startFresh } from '../support/server.ts';

const date = new Date('2027-01-01');
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
