import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { postQuery } from '../support/gateway.ts';
import { startLoad, startSlowUpstream } from '../support/load.ts';
import { writeManifest } from '../support/manifest.ts';
import { startProcess } from '../support/process.ts';
import { startUpstream } from '../support/upstream.ts';
import { openWire, wireOf } from '../support/wire.ts';
import { workersOf } from './workers.ts';

async function start(env: Record<string, string>) {
  const main = await startProcess('main.ts', { PORT: '0', WORKERS: '2', ...env });
  const [printed, origin = ''] = await main.printed(/ready at (\S+)\/graphql\n/);
  return { main, origin, printed };
}

it('loses only the requests of a killed worker, and none in a reload or a stop', async () => {
  const upstream = await startSlowUpstream(300);
  const { main, origin } = await start({ UPSTREAM_URL: upstream.url });
  const first = workersOf(main.pid);
  expect(first).toHaveLength(2);
  const load = startLoad(origin);
  await load.more(256);
  expect(load.failures).toEqual([]);

  process.kill(first[0] ?? 0, 'SIGKILL');
  await main.complained(new RegExp(`worker ${first[0]} exited \\(SIGKILL\\): starting another at once`));
  await load.more(256);
  // Connections are balanced evenly, and each has one active request.
  expect(load.failures.length).toBeGreaterThan(0);
  expect(load.failures.length).toBeLessThanOrEqual(32);

  const second = workersOf(main.pid);
  expect(second).toHaveLength(2);
  load.failures.length = 0;
  main.kill('SIGHUP');
  await main.complained(/reload: all workers were replaced/);
  await load.more(128);
  expect(load.failures).toEqual([]);
  const third = workersOf(main.pid);
  expect(third).toHaveLength(2);
  expect(third.filter((pid) => second.includes(pid))).toEqual([]);

  main.kill('SIGTERM');
  expect(await main.exit()).toMatchObject({ code: 0 });
  await load.stop();
  expect(load.failures.filter((words) => !words.includes('ECONNREFUSED'))).toEqual([]);
  expect(workersOf(main.pid)).toEqual([]);
});

it('serves one embedded reference, and keeps its workers where a reload fails', async () => {
  const { path } = await writeManifest({ a: '{ __typename }' });
  const { main, origin } = await start({ TRUSTED_DOCUMENTS: path, REQUEST_TIMEOUT_MS: '2000' });
  const [, key = ''] = await main.printed(/demo key: (\S+)\n/);
  const sites = Array.from({ length: 4 }, () =>
    postQuery(`${origin}/graphql`, '{ site(id: "SITE-1001") { city } }', {
      key,
      headers: { connection: 'close' },
    }),
  );
  for (const { data } of await Promise.all(sites)) expect(data).toEqual({ site: { city: 'Bend' } });
  // The timeout that Node checks where a server has the port itself.
  const slow = await openWire(origin);
  slow.write('GET /graphql HT');
  expect(await slow.closed).toMatch(/^HTTP\/1\.1 408 /);

  const before = workersOf(main.pid);
  await writeFile(path, '{');
  main.kill('SIGHUP');
  await main.complained(/"reload failed, the workers are unchanged: TRUSTED_DOCUMENTS /m);
  expect(workersOf(main.pid).sort()).toEqual(before.sort());
  expect(await postQuery(`${origin}/graphql`, '{ __typename }')).toMatchObject({ status: 200 });
});

it('passes the connections that a killed worker had not accepted to the next one; exits on a second signal', async () => {
  const upstream = await startUpstream(() => {});
  const { main, origin } = await start({ UPSTREAM_URL: upstream.url });
  const workers = workersOf(main.pid);
  process.kill(workers[0] ?? 0, 'SIGSTOP');
  // Each worker gets one of the two.
  const wires = [await openWire(origin), await openWire(origin)];
  const responses = wires.map((wire) => {
    wire.write(wireOf('GET /livez', {}));
    return wire.read(/ok\n$/);
  });
  await Promise.race(responses);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  const late = await openWire(origin);
  late.write(wireOf('GET /livez', {}));
  for (const response of [...responses, late.read(/ok\n$/)])
    expect(await response).toMatch(/^HTTP\/1\.1 200 /);

  const unanswered = postQuery(`${origin}/graphql`, '{ site(id: "SITE-1") { id } }').catch(() => 'cut');
  await upstream.received(1);
  main.kill('SIGTERM');
  main.kill('SIGINT');
  expect(await main.exit()).toMatchObject({ code: 1 });
  expect(await unanswered).toBe('cut');
});

it('exits with 1 and one message where a worker cannot start', async () => {
  const { code, stdout, stderr } = await (
    await startProcess('main.ts', { PORT: '0', WORKERS: '2', TRUSTED_DOCUMENTS: 'none.json' })
  ).exit();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^TRUSTED_DOCUMENTS cannot be read: ENOENT.*\n$/);
});
