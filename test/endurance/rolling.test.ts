import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startLoad, startSlowUpstream } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { scale, scaled } from '../support/scale.ts';

const requests = scaled(150);
const responseMs = 20;

async function startGateway(port: string, upstreamUrl: string) {
  const main = await startProcess('main.ts', { PORT: port, UPSTREAM_URL: upstreamUrl });
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  return { main, port: new URL(origin).port };
}

it('fails no request while two gateways restart in turn behind a plain TCP balancer', {
  timeout: 3_600_000,
}, async () => {
  const upstream = await startSlowUpstream(responseMs);
  const gateways = await Promise.all(['0', '0'].map((port) => startGateway(port, upstream.url)));
  const balancer = await startBalancer(gateways.map(({ port }) => Number(port)));
  const load = startLoad(balancer.origin);
  let restarts = 0;
  await load.more(64);
  while (load.succeeded() + load.failures.length < requests || restarts < 2) {
    const at = restarts % 2;
    const old = gateways[at];
    if (!old) break;
    old.main.kill('SIGTERM');
    expect(await old.main.end()).toEqual({ code: 0, complaints: [] });
    gateways[at] = await startGateway(old.port, upstream.url);
    restarts += 1;
    await load.more(Math.max(128, requests / 50));
  }
  await load.stop();
  const summary = `${load.succeeded()} responses, ${load.failures.length} failures, ${restarts} restarts`;
  if (scale > 10) console.log(summary, new Set(load.failures));
  expect(load.failures, summary).toEqual([]);
  for (const connections of balancer.taken.values()) expect(connections).toBeGreaterThan(32);
});

/** A plain TCP balancer: passes each connection to the next of `ports` that accepts it. */
async function startBalancer(ports: readonly number[]) {
  const taken = new Map(ports.map((port) => [port, 0]));
  let next = 0;

  function pass(client: Socket, first: number, tries = 0): void {
    const port = ports[(first + tries) % ports.length] ?? 0;
    const gateway = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const rejected = () => (tries + 1 < ports.length ? pass(client, first, tries + 1) : client.destroy());
    gateway.once('error', rejected);
    gateway.once('connect', () => {
      gateway.off('error', rejected);
      taken.set(port, (taken.get(port) ?? 0) + 1);
      client.pipe(gateway).pipe(client);
      gateway.on('error', () => client.destroy()).once('close', () => client.destroy());
      client.once('close', () => gateway.destroy());
    });
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on('error', () => {});
    next += 1;
    pass(client, next);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many connections each port accepted. */
    taken,
  };
}
