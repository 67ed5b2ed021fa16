import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { postQuery, startGateway } from '../support/gateway.ts';
import { sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

it('lists errors in the order of the document, whichever failed first', async () => {
  // Responds in the reverse order of the requests.
  const waiting: ServerResponse[] = [];
  const upstream = await startUpstream((req, res) => {
    waiting.unshift(res);
    if (siteFromPath(req.url ?? '').id === 'SITE-4') respondNext();
  });
  const respondNext = () => {
    const next = waiting.shift();
    if (!next) return;
    next.once('close', respondNext);
    sendJson(next, { id: 'another' });
  };
  const gateway = await startGateway(upstream.url, { retryPercent: 0 });
  const { errors = [] } = await postQuery(
    gateway.url,
    '{ sites(ids: ["SITE-1", "SITE-2"]) { id } b: site(id: "SITE-3") { id } a: site(id: "SITE-4") { id } }',
  );
  expect(errors.map(({ path }) => path?.join('.'))).toEqual(['sites.0', 'sites.1', 'b', 'a']);
});
