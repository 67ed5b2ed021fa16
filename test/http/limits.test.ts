import { describe, expect, it } from 'vitest';
import { createGate } from '../support/gate.ts';
import { apiKey, startBoth } from '../support/gateway.ts';
import { sendSite } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, openWire, sendRaw, wireOf } from '../support/wire.ts';
import { expectRejection } from './rejection.ts';

const body = bodyOf('{ site(id: "SITE-1") { id ... @defer { clients { id } } } }');
const fields = { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': String(body.length) };
const request = wireOf('POST /graphql', fields, body);
const ping = wireOf('GET /graphql?query=%7B__typename%7D', jsonHeaders);

it('limits the connections, logs each beyond, and a closed one makes room', async () => {
  const { gateway } = await startBoth({ MAX_CONNECTIONS: '2' });
  const [first, second] = [await openWire(gateway.origin), await openWire(gateway.origin)];
  const third = await openWire(gateway.origin);
  expect(await third.closed).toBe('');
  const reason = 'The connection was closed: MAX_CONNECTIONS is reached.';
  expect(await gateway.logged('rejection')).toMatchObject([{ level: 'warn', status: null, reason }]);
  for (const wire of [first, second]) {
    wire.write(ping);
    await wire.read(/"Query"/);
  }
  first.write(ping.replace('\r\n', '\r\nconnection: close\r\n'));
  await first.closed;
  const fourth = await openWire(gateway.origin);
  fourth.write(ping);
  expect(await fourth.read(/"Query"/)).toContain('200 OK');
});

describe('the time limit of a request', () => {
  const env = { requestTimeoutMs: 200 };

  it.each([
    ['its head', request.slice(0, 60)],
    ['its body', request.slice(0, -5)],
    ['a chunk', wireOf('POST /graphql', { ...jsonHeaders, 'transfer-encoding': 'chunked' }, '5\r\n{')],
  ])('responds with 408 to a request without the end of %s, and ignores the rest', async (_, part) => {
    const { upstream, gateway } = await startBoth(env);
    const wire = await openWire(gateway.origin, 'stubborn');
    const startedAt = performance.now();
    wire.write(part);
    expectRejection(await wire.read(/\}\]\}$/), 408);
    expect(performance.now() - startedAt).toBeGreaterThan(150);
    wire.write(request.slice(part.length));
    wire.end();
    expectRejection(await wire.closed, 408);
    expect(upstream.requests).toEqual([]);
  });

  it('closes connections without a request, without a response', async () => {
    const { gateway } = await startBoth(env);
    const silent = await Promise.all(Array.from({ length: 30 }, () => openWire(gateway.origin)));
    expect(await Promise.all(silent.map(({ closed }) => closed))).toEqual(silent.map(() => ''));
  });

  it('does not limit the time of the response', async () => {
    const released = createGate();
    const { upstream, gateway } = await startBoth({ requestTimeoutMs: 50 }, async (req, res) => {
      await released.promise;
      sendSite(req, res);
    });
    const wire = await openWire(gateway.origin);
    wire.write(request);
    await upstream.received(1);
    // A late request is detected at the same time as, or after, a late response.
    const late = await openWire(gateway.origin);
    late.write(request.slice(0, 60));
    await late.closed;
    released.open();
    expect(await wire.read(/"SITE-1"/)).toContain('200 OK');
  });
});

it.each(['application/json', 'multipart/mixed'])(
  'closes a connection that is idle for KEEP_ALIVE_MS after a response in %s',
  async (accept) => {
    const { gateway } = await startBoth({ KEEP_ALIVE_MS: '1' });
    const wire = await openWire(gateway.origin);
    wire.write(wireOf('POST /graphql', { ...fields, accept }, body));
    expect(await wire.closed).toContain('200 OK');
  },
);

it('rejects a head over 16384 bytes, and reads one with more fields than Node reads by default', async () => {
  const { upstream, gateway } = await startBoth();
  const long = wireOf(`GET ${'/graphql?query=%7B__typename%7D&x='.padEnd(17_000, 'y')}`, jsonHeaders);
  expectRejection(await sendRaw(gateway.origin, long), 431);
  const many = Array.from({ length: 2500 }, () => 'x:\r\n').join('');
  const wire = await openWire(gateway.origin);
  wire.write(request.replace('\r\n\r\n', `\r\n${many}x-api-key: another\r\n\r\n`));
  expect(await wire.read(/\}$/)).toContain('403 Forbidden');
  expect(upstream.requests).toEqual([]);
});

it('rejects endless chunk extensions', async () => {
  const { gateway } = await startBoth();
  const chunk = `5;${'x'.repeat(20_000)}`;
  const bytes = wireOf('POST /graphql', { ...jsonHeaders, 'transfer-encoding': 'chunked' }, chunk);
  expectRejection(await sendRaw(gateway.origin, bytes), 413);
});
