import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { apiKey } from './support/gateway.ts';
import { startProcess } from './support/process.ts';
import { bareSite, sendJson, startUpstream } from './support/upstream.ts';
import { bodyOf, jsonHeaders, openWire, wireOf } from './support/wire.ts';

async function start(env: Record<string, string>) {
  const main = await startProcess('main.ts', { PORT: '0', ADMIN_PORT: '0', ...env });
  const [, admin = ''] = await main.complained(/"url":"(http:\/\/127\.0\.0\.1:\d+)\/metrics"/);
  const probe = async (path: string) => {
    const response = await fetch(admin + path, { headers: { connection: 'close' } });
    return `${response.status} ${await response.text()}`;
  };
  const origin = async () => (await main.printed(/ready at (\S+)\/graphql\n/))[1] ?? '';
  return { main, origin, live: () => probe('/livez'), ready: () => probe('/readyz') };
}

/** Polls until the response differs from `before`. */
async function changed(read: () => Promise<string>, before: string): Promise<string> {
  for (;;) {
    const response = await read();
    if (response !== before) return response;
    await immediate();
  }
}

it('responds to probes on the admin port while connections fill the other and while it drains', async () => {
  const held: (() => void)[] = [];
  const upstream = await startUpstream((_, res) => {
    held.push(() => sendJson(res, bareSite('SITE-1')));
  });
  const env = { MAX_CONNECTIONS: '3', UPSTREAM_URL: upstream.url };
  const { main, origin, live, ready } = await start(env);
  const url = await origin();
  const wires = [];
  for (let n = 0; n < 3; n += 1) {
    const wire = await openWire(url);
    wire.write(wireOf('GET /livez', {}));
    await wire.read(/ok\n$/);
    wires.push(wire);
  }
  const oneMore = await openWire(url);
  oneMore.write(wireOf('GET /livez', {}));
  expect(await oneMore.closed).toBe('');
  expect([await live(), await ready()]).toEqual(['200 ok\n', '200 ok\n']);

  const body = bodyOf('{ site(id: "SITE-1") { city } }');
  const fields = { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': String(body.length) };
  wires[0]?.write(wireOf('POST /graphql', fields, body));
  await upstream.received(1);
  main.kill('SIGTERM');
  expect(await changed(ready, '200 ok\n')).toBe('503 draining\n');
  expect(await live()).toBe('200 ok\n');
  for (const response of held) response();
  expect(await main.exit()).toMatchObject({ code: 0 });
  expect(await wires[0]?.closed).toContain('"city":');
});
