import { expect, it } from 'vitest';
import { postQuery } from './support/gateway.ts';
import { startLoad, startSlowUpstream } from './support/load.ts';
import { startProcess } from './support/process.ts';
import { startUpstream } from './support/upstream.ts';
import { jsonHeaders, openWire, wireOf } from './support/wire.ts';

const probe = wireOf('GET /readyz', {});

async function start(upstreamUrl: string, env: Record<string, string> = {}) {
  const main = await startProcess('main.ts', { PORT: '0', UPSTREAM_URL: upstreamUrl, ...env });
  const [, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  return { main, origin };
}

it('fails no request on SIGTERM, fails /readyz, and exits with 0', async () => {
  const upstream = await startSlowUpstream(300);
  const { main, origin } = await start(upstream.url, { DRAIN_DELAY_MS: '3000' });
  const load = startLoad(origin);
  await load.more(128);
  expect(load.failures).toEqual([]);
  main.kill('SIGTERM');
  const wire = await openWire(origin);
  wire.write(probe);
  await wire.read(/HTTP\/1\.1 503 .*draining\n/s);
  const end = await main.end();
  await load.stop();
  expect(end).toEqual({ code: 0, complaints: [] });
  // The port is closed then, which is how a balancer detects it.
  expect(load.failures.filter((words) => !words.includes('ECONNREFUSED'))).toEqual([]);
});

it('does not wait for the drain deadline where no request is in progress', async () => {
  const upstream = await startSlowUpstream(0);
  const drainTimeoutMs = 60_000;
  const { main, origin } = await start(upstream.url, { DRAIN_TIMEOUT_MS: String(drainTimeoutMs) });
  await postQuery(`${origin}/graphql`, '{ __typename }');
  const startedMs = performance.now();
  main.kill('SIGTERM');
  expect(await main.exit()).toMatchObject({ code: 0 });
  expect(performance.now() - startedMs).toBeLessThan(drainTimeoutMs / 2);
});

it('aborts requests at the deadline, logs their number, and exits with 1', async () => {
  const upstream = await startUpstream(() => {});
  const { main, origin } = await start(upstream.url, { DRAIN_TIMEOUT_MS: '300' });
  const overdue = postQuery(`${origin}/graphql`, '{ site(id: "SITE-1") { id } }');
  await upstream.received(1);
  const slow = await openWire(origin);
  slow.write(wireOf('POST /graphql', { ...jsonHeaders, 'content-length': '9' }, '{'));
  const startedMs = performance.now();
  main.kill('SIGTERM');
  expect(await main.end()).toEqual({
    code: 1,
    complaints: ['drain: aborted 2 requests that did not end within DRAIN_TIMEOUT_MS=300'],
  });
  expect(performance.now() - startedMs).toBeGreaterThan(290);
  expect(await overdue).toMatchObject({ status: 503 });
});

it('ignores a SIGHUP', async () => {
  const upstream = await startSlowUpstream(0);
  const { main, origin } = await start(upstream.url);
  main.kill('SIGHUP');
  await main.complained(/"SIGHUP ignored: restart the process/);
  expect(await postQuery(`${origin}/graphql`, '{ __typename }')).toMatchObject({ status: 200 });
});
