import { expect, it } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

it('site ids are one segment: a slash or a dot segment does not lead to another address', async () => {
  const reference = await startFresh();
  expect((await sendRequest(reference, '/v1/site/SITE-North/Annex')).status).toBe(404);
  expect((await sendRequest(reference, '/v1/site/SITE-x/../SITE-1001')).status).toBe(404);
  expect((await sendRequest(reference, '/v1/site/%2e%2e')).status).toBe(400);
  expect((await sendRequest(reference, '/v1/site/..%2Fhealth')).status).toBe(400);
});

it('site ids have the configured prefix', async () => {
  const reference = await startFresh({ siteIdPrefix: 'PROP' });
  const response = await sendRequest(reference, siteTarget(demoSites('PROP').main));
  expect(JSON.parse(response.body).id).toBe('PROP-1001');
  expect((await sendRequest(reference, siteTarget('SITE-1001'))).status).toBe(400);
});
