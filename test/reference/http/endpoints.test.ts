import { expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { sendRaw } from '../../support/wire.ts';
import { freshDatabasePath } from '../support/database.ts';
import { contextTarget, dropTable, sendRequest, siteTarget, startFresh } from '../support/server.ts';

const known = demoSites();

it('sends a 500 without the cause, which onFault gets', async () => {
  const path = await freshDatabasePath();
  const faults: unknown[] = [];
  const reference = await startFresh({
    databaseUrl: `file:${path}`,
    onFault: (fault) => faults.push(fault),
  });
  dropTable(path, 'sites');
  const response = await sendRequest(reference, siteTarget(known.main));
  expect(response.status).toBe(500);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.body).not.toMatch(/sites|sql|table|\//i);
  expect(String(faults)).toContain('no such table');
  expect((await sendRequest(reference, contextTarget(demoConversations.main))).status).toBe(200);
});

it('sends Deprecation without Sunset where only its date is set', async () => {
  const ending = await startFresh({ deprecation: { date: new Date('2027-01-01'), sunset: undefined } });
  const { headers } = await sendRequest(ending, '/v1/health');
  expect([headers.deprecation, headers.sunset]).toEqual(['@1798761600', undefined]);
});

it('is rejected for a second key after thousands of header fields', async () => {
  const reference = await startFresh();
  const key = `x-api-key: ${demoKeys.acme}\r\n`;
  const many = 'a:\r\n'.repeat(3_000);
  const responses = [`${key}${many}`, `${key}${many}${key}`].map((fields) =>
    sendRaw(reference.url, `GET /v1/health HTTP/1.1\r\nhost: a\r\n${fields}connection: close\r\n\r\n`),
  );
  const statuses = (await Promise.all(responses)).map((received) => received.slice(9, 12));
  expect(statuses).toEqual(['200', '403']);
});
