import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { postQuery } from '../support/gateway.ts';
import { startSlowUpstream } from '../support/load.ts';
import { startProcess } from '../support/process.ts';
import { workersOf } from './workers.ts';

it('sums the metrics of all workers, and of the others when one exits', async () => {
  const upstream = await startSlowUpstream(0);
  const env = { PORT: '0', ADMIN_PORT: '0', WORKERS: '2', UPSTREAM_URL: upstream.url };
  const main = await startProcess('main.ts', env);
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  const [, metrics = ''] = await main.complained(/"url":"(http:\/\/127\.0\.0\.1:\d+\/metrics)"/);
  const sumOf = async (name: string) => {
    const lines = (await (await fetch(metrics)).text()).split('\n');
    const values = lines
      .filter((line) => line.startsWith(name))
      .map((line) => Number(line.split(' ').at(-1)));
    return values.reduce((sum, value) => sum + value, 0);
  };

  // Two open connections belong to two workers.
  const pending = Array.from({ length: 8 }, () =>
    postQuery(`${origin}/graphql`, '{ site(id: "SITE-1") { id } }'),
  );
  for (const response of pending) expect(await response).toMatchObject({ status: 200 });
  expect(await sumOf('portico_operations_total')).toBe(8);
  expect(await sumOf('portico_upstream_connections_max')).toBe(256);

  process.kill(workersOf(main.pid)[0] ?? 0, 'SIGKILL');
  await main.complained(/starting another/);
  expect(await sumOf('portico_upstream_connections_max')).toBeGreaterThanOrEqual(128);
  main.kill('SIGTERM');
  expect(await main.end()).toMatchObject({ code: 0 });
});

it('starts no worker where the port of the metrics is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const main = await startProcess('main.ts', { PORT: '0', ADMIN_PORT: String(port), WORKERS: '2' });
  expect(await main.end()).toEqual({
    code: 1,
    complaints: [`ADMIN_PORT ${port} on 127.0.0.1 is in use: set it to another`],
  });
});
