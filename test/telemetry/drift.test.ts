import { expect, it } from 'vitest';
import { postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';

it('counts differences from the contract by field, and logs the first', async () => {
  const upstream = await startUpstream((_, res) =>
    sendJson(res, { ...bareSite('SITE-1'), city: 7, sla: 'x' }),
  );
  const gateway = await startGateway(upstream.url);
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  await postQuery(gateway.url, '{ site(id: "SITE-1") { id } }');
  expect(gateway.drift()).toEqual(
    new Map([
      ['Site.city', 2],
      ['Site.sla', 2],
    ]),
  );
  expect(gateway.lines).toEqual([
    'a REST API response differs from the contract at Site.city',
    'a REST API response differs from the contract at Site.sla',
  ]);
});
