import { setImmediate as immediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { apiKey } from '../support/gateway.ts';
import { startProcess } from '../support/process.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, openWire, wireOf } from '../support/wire.ts';
import { workersOf } from './workers.ts';

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

it.each(['1', '2'])(
  'responds to probes on the admin port while connections fill the other and while it drains (WORKERS=%s)',
  async (workers) => {
    const held: (() => void)[] = [];
    const upstream = await startUpstream((_, res) => {
      held.push(() => sendJson(res, bareSite('SITE-1')));
    });
    const env = { WORKERS: workers, MAX_CONNECTIONS: '3', UPSTREAM_URL: upstream.url };
    const { main, origin, live, ready } = await start(env);
    const url = await origin();
    const wires = [];
    for (let n = 0; n < 3 * Number(workers); n += 1) {
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
  },
);

it('is ready while a worker serves, and live while one responds', async () => {
  const { main, origin, live, ready } = await start({ WORKERS: '2', UPSTREAM_URL: 'http://127.0.0.1:9' });
  const send = (pids: readonly number[], signal: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, signal);
  };
  let workers: number[] = [];
  while (workers.length < 2) workers = workersOf(main.pid);
  const [first = 0, ...others] = workers;
  send([first], 'SIGSTOP');
  onTestFinished(() => {
    for (const pid of workersOf(main.pid)) process.kill(pid, 'SIGCONT');
  });
  expect([await live(), await ready()]).toEqual(['200 ok\n', '503 starting\n']);
  send([first], 'SIGCONT');
  await origin();
  expect([await live(), await ready()]).toEqual(['200 ok\n', '200 ok\n']);

  send(workers, 'SIGSTOP');
  expect([await live(), await ready()]).toEqual(['503 unresponsive\n', '503 unresponsive\n']);
  send(others, 'SIGCONT');
  expect([await live(), await ready()]).toEqual(['200 ok\n', '200 ok\n']);
  send(workers, 'SIGCONT');
  main.kill('SIGTERM');
  expect(await main.exit()).toMatchObject({ code: 0 });
});
