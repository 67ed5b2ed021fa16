import { expect, it, onTestFinished } from 'vitest';
import { apiKey, postQuery, startBoth } from '../support/gateway.ts';
import { bodyOf, jsonHeaders, openWire, wireOf } from '../support/wire.ts';

const body = bodyOf('{ site(id: "SITE-slow") { id } }').padEnd(4000);
const fields = { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': String(body.length) };
const head = wireOf('POST /graphql', fields);
const inHead = `${head.slice(0, -2)}x: `;

it('serves others while 500 requests arrive byte by byte', async () => {
  const { upstream, gateway } = await startBoth({ requestTimeoutMs: 600_000 });
  let closed = 0;
  // Each writes at once: a connection without a request is closed without a response.
  const slow = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      const wire = await openWire(gateway.origin);
      wire.write(index % 2 === 0 ? inHead : head);
      wire.closed.finally(() => closed++);
      return wire;
    }),
  );
  const write = () => slow.forEach((wire, index) => void wire.write(index % 2 === 0 ? 'x' : ' '));
  const drip = setInterval(write, 100);
  onTestFinished(() => clearInterval(drip));
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
