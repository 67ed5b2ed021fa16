import { expect, it } from 'vitest';
import { UpstreamCancelled } from '../../src/rest/errors.ts';
import { startClient } from '../support/client.ts';
import { apiKey, codes, postQuery, startBoth, startGateway } from '../support/gateway.ts';
import { incrementalFormats, streamParts } from '../support/incremental.ts';
import { bareSite, closed, sendJson, startHolding } from '../support/upstream.ts';

const one = '{ site(id: "SITE-1") { id } }';

it.each([
  [2000, []],
  [2001, ['UPSTREAM_INVALID_RESPONSE']],
])('accepts a response of at most %i of 2000 bytes', async (size, expected) => {
  const { gateway } = await startBoth({ maxUpstreamBytes: 2000 }, (_, res) =>
    res.end(JSON.stringify(bareSite('SITE-1')).padEnd(size)),
  );
  expect(codes(await postQuery(gateway.url, one))).toEqual(expected);
});

it.each(incrementalFormats)(
  'aborts the deferred calls of a client that disconnects from %s',
  async (accept) => {
    const { upstream, held } = await startHolding();
    const gateway = await startGateway(upstream.url);
    const caller = new AbortController();
    const query = '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }';
    const { parts } = await streamParts(gateway.url, query, { accept, signal: caller.signal });
    expect((await parts.next()).value).toMatchObject({ data: { site: { id: 'SITE-1' } } });
    await upstream.received(2);
    caller.abort();
    await expect(parts.next()).rejects.toThrow('abort');
    await Promise.all(held.map(closed));
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
  },
);

it('does not send the queued call of a caller that has disconnected', async () => {
  const { upstream, held } = await startHolding((path) => path === '/v1/site/SITE-1');
  const { getSite, caller, callerOf } = startClient(upstream.url, { UPSTREAM_CONNECTIONS: '1' });
  const leaving = new AbortController();
  const first = getSite(caller, 'SITE-1', []);
  const second = getSite(callerOf(apiKey, leaving.signal), 'SITE-2', []);
  const third = getSite(caller, 'SITE-3', []);
  await upstream.received(1);
  leaving.abort();
  await expect(second).rejects.toBeInstanceOf(UpstreamCancelled);
  for (const res of held) sendJson(res, bareSite('SITE-1'));
  expect(await first).toMatchObject({ id: 'SITE-1' });
  expect(await third).toMatchObject({ id: 'SITE-3' });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-3']);
});
