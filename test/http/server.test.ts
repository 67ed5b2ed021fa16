import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startServer } from '../../src/http/server/server.ts';
import { createGate } from '../support/gate.ts';
import { testConfig } from '../support/gateway.ts';

it('reports the address of its port', async () => {
  const { url, close } = await startServer((_, res) => res.end('here'), testConfig());
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await (await fetch(url)).text()).toBe('here');
  await close();
  await expect(fetch(url)).rejects.toThrow();
});

it('rejects when the port is in use', async () => {
  const { url, close } = await startServer(() => {}, testConfig());
  await expect(startServer(() => {}, testConfig({ PORT: new URL(url).port }))).rejects.toThrow('EADDRINUSE');
  await close();
});

it('finishes active requests on close, and closes idle connections', async () => {
  const working = createGate<ServerResponse>();
  const { url, close } = await startServer((_, res) => working.open(res), testConfig());
  const { port, hostname } = new URL(url);
  const silent = connect(Number(port), hostname);
  await once(silent, 'connect');
  const pending = fetch(url);
  const res = await working.promise;

  const gone = once(silent, 'close');
  const closing = close();
  await gone;
  res.end('finished');
  expect(await (await pending).text()).toBe('finished');
  await closing;
});
