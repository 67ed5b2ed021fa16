import { expect, it, onTestFinished } from 'vitest';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { bodyOf, jsonHeaders, openWire, wireOf } from '../support/wire.ts';

const body = bodyOf('{ site(id: "SITE-slow") { id } }').padEnd(4000);
const fields = { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': String(body.length) };
const head = wireOf('POST /graphql', fields);
const inHead = `${head.slice(0, -2)}x: `;

/** A gateway with 500 connections on each of which a request arrives byte by byte, and never ends. */
async function startDripping(requestTimeoutMs: string) {
  const { upstream, gateway } = await startBoth({ REQUEST_TIMEOUT_MS: requestTimeoutMs });
  // Each writes at once: a connection without a request is closed without a response.
  const slow = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      const wire = await openWire(gateway.origin);
      wire.write(index % 2 === 0 ? inHead : head);
      return wire;
    }),
  );
  const drip = setInterval(
    () => slow.forEach(({ write }, index) => void write(index % 2 === 0 ? 'x' : ' ')),
    100,
  );
  onTestFinished(() => clearInterval(drip));
  return { upstream, gateway, slow };
}

it('serves others while 500 requests arrive byte by byte', async () => {
  const { upstream, gateway, slow } = await startDripping('600000');
  let closed = 0;
  for (const wire of slow) wire.closed.finally(() => closed++);
  const ids = Array.from({ length: 50 }, (_, index) => `SITE-${index}`);
  const responses = await Promise.all(
    ids.map((id) =>
      postQuery(gateway.url, 'query ($id: ID!) { site(id: $id) { id } }', { variables: { id } }),
    ),
  );
  expect(responses.map(({ data }) => data)).toEqual(ids.map((id) => ({ site: { id } })));
  expect(closed).toBe(0);
  expect(upstream.paths().sort()).toEqual(ids.map((id) => `/v1/site/${id}`).sort());
});

it('ends 500 requests that arrive byte by byte, each with 408', async () => {
  const { upstream, slow } = await startDripping('3000');
  const texts = await Promise.all(slow.map(({ closed }) => closed));
  expect(new Set(texts.map((text) => text.split('\r\n', 1)[0]))).toEqual(
    new Set(['HTTP/1.1 408 Request Timeout']),
  );
  expect(upstream.requests).toEqual([]);
});
