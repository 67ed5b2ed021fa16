import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startFlakyUpstream } from '../support/upstreams/flaky.ts';
import { jsonHeaders, wireOf } from '../support/wire.ts';
import { memoryOptions } from './idle.ts';

const MAX_GROWTH_BYTES = 30_000_000;
const headers = { ...jsonHeaders, 'x-api-key': 'key-of-some-length' };
/** One of the larger files that the gateway serves. */
const manifest = readFileSync(resolve(import.meta.dirname, '../../dist/graphiql/manifest.json'), 'utf8');
const script = `/graphiql/${JSON.parse(manifest).script}`;
const site = JSON.stringify({ query: '{ site(id: "SITE-1") { id } }' });
const first = wireOf('POST /graphql', { ...headers, 'content-length': String(site.length) }, site);

it.each<[string, string]>([
  [
    'a body of one-byte chunks',
    wireOf('POST /graphql', { ...headers, 'transfer-encoding': 'chunked' }) + '1\r\na\r\n'.repeat(100_000),
  ],
  [
    'requests pipelined behind the last one that it answers',
    `${first}GET / HTTP/1.1\r\n\r\n${'GET / HTTP/1.1\r\n\r\n'.repeat(200_000)}`,
  ],
  [
    'requests of a client that does not read the responses',
    first + wireOf(`GET ${script}`, {}).repeat(5_000),
  ],
])('buffers little of %s', async (_, bytes) => {
  const upstream = await startFlakyUpstream();
  const { options } = memoryOptions({ REQUEST_TIMEOUT_MS: '60000' });
  const gateway = await startGatewayProcess(upstream.url, options);
  const { port, hostname } = new URL(gateway.url);
  // A file is read for the first request and kept.
  await (
    await fetch(new URL(script, gateway.url), { headers: { 'accept-encoding': 'identity' } })
  ).arrayBuffer();
  const before = await gateway.read('memory');
  for (let n = 0; n < 4; n += 1) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).pause();
    socket.write(bytes, 'latin1');
  }
  let most = 0;
  for (let n = 0; n < 40; n += 1) most = Math.max(most, (await gateway.read('memory')).heapBytes);
  expect(most - before.heapBytes).toBeLessThan(MAX_GROWTH_BYTES);
});
