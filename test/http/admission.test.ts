import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { createGate } from '../support/gate.ts';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { sendSite } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, openWire, postOf } from '../support/wire.ts';

/** An upstream that responds when the gate is open, behind a gateway that admits so many operations. */
async function start(limit = 10) {
  const gate = createGate();
  const both = await startBoth({ MAX_CONCURRENT_OPERATIONS: String(limit) }, async (req, res) => {
    await gate.promise;
    sendSite(req, res);
  });
  return { gate, ...both };
}

const site = (n: number) => `{ site(id: "SITE-${n}") { id } }`;

it('rejects operations over the limit at once, and finishes the admitted ones', async () => {
  const { gate, upstream, gateway } = await start();
  const accepted = Array.from({ length: 10 }, (_, n) => postQuery(gateway.url, site(n)));
  await upstream.received(10);
  const excess = await Promise.all(
    Array.from({ length: 20 }, (_, n) => postQuery(gateway.url, site(100 + n))),
  );
  for (const response of excess) {
    expect(response).toMatchObject({
      status: 503,
      errors: [
        {
          message: 'The gateway is overloaded. Retry in 1 s.',
          extensions: { code: 'OVERLOADED' },
        },
      ],
    });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
  // While none of the others has a response.
  expect(upstream.requests).toHaveLength(10);
  gate.open();
  expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await postQuery(gateway.url, site(1))).status).toBe(200);
});

it('keeps places for the operations of other keys', async () => {
  const { gate, upstream, gateway } = await start(40);
  const flood = Array.from({ length: 60 }, (_, n) => postQuery(gateway.url, site(n)));
  await upstream.received(37);
  const others = Array.from({ length: 3 }, (_, n) => postQuery(gateway.url, site(n), { key: 'another-key' }));
  await upstream.received(40);
  gate.open();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(37);
});

it('admits an operation only when its request has arrived', async () => {
  const { gate, upstream, gateway } = await start();
  const body = bodyOf(site(0));
  const slow = Array.from({ length: 30 }, () => {
    const headers = { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': body.length };
    const req = request(gateway.url, { method: 'POST', agent: false, headers });
    req.write(body.slice(0, 5));
    return req;
  });
  await Promise.all(slow.map((req) => (req.socket?.connecting === false ? undefined : once(req, 'socket'))));
  const served = Array.from({ length: 9 }, (_, n) => postQuery(gateway.url, site(n)));
  await upstream.received(9);
  gate.open();
  expect((await Promise.all(served)).map(({ status }) => status)).toEqual(Array(9).fill(200));
  const responses = slow.slice(0, 10).map(async (req) => {
    req.end(body.slice(5));
    const [res] = await once(req, 'response');
    res.resume();
    return res.statusCode;
  });
  expect(await Promise.all(responses)).toEqual(Array(10).fill(200));
  for (const req of slow.slice(10)) req.on('error', () => {}).destroy();
});

it('releases the admission before a large response is read', async () => {
  // More than the operating system buffers for a client that does not read.
  const address1 = 'x'.repeat(12_000_000);
  const env = { MAX_CONCURRENT_OPERATIONS: '1' };
  const { gateway } = await startBoth(env, (req, res) =>
    sendSite(req, res, req.url?.endsWith('large') ? { address1 } : {}),
  );
  const wire = await openWire(gateway.origin);
  wire.listen(false);
  wire.write(postOf('{ site(id: "SITE-large") { address1 } }'));
  await expect.poll(() => gateway.gauge('portico_unread_response_bytes')).toBeGreaterThan(0);
  expect((await postQuery(gateway.url, site(1))).status).toBe(200);
});
