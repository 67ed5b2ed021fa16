import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { textOf } from '../support/files.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';
import { startFlakyUpstream } from '../support/upstreams/flaky.ts';
import { bodyOf, jsonHeaders, wireOf } from '../support/wire.ts';
import { memoryOptions } from './idle.ts';

const MAX_GROWTH_BYTES = 30_000_000;
const headers = { ...jsonHeaders, 'x-api-key': 'key-of-some-length' };
/** One of the larger files that the gateway serves. */
const manifest = textOf('dist/graphiql/manifest.json');
const script = `/graphiql/${JSON.parse(manifest).script}`;
const site = JSON.stringify({ query: '{ site(id: "SITE-1") { id } }' });
const first = wireOf('POST /graphql', { ...headers, 'content-length': String(site.length) }, site);

it.each<[string, string]>([
  [
    'a body of one-byte chunks',
    wireOf('POST /graphql', { ...headers, 'transfer-encoding': 'chunked' }) + '1\r\na\r\n'.repeat(100_000),
  ],
  [
    'requests of a client that does not read the responses',
    first + wireOf(`GET ${script}`, {}).repeat(5_000),
  ],
])('buffers little of %s', async (_, bytes) => {
  const upstream = await startFlakyUpstream();
  const { options } = memoryOptions();
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
  for (let n = 0; n < 12; n += 1) most = Math.max(most, (await gateway.read('memory')).heapBytes);
  expect(most - before.heapBytes).toBeLessThan(MAX_GROWTH_BYTES);
});

it('holds nothing of a response once a client has it, while its connection is idle', async () => {
  const CONNECTIONS = 20;
  const MESSAGE_BYTES = 3_000_000;
  const messages = [{ author: 'Ada', role: 'client', text: 'a'.repeat(MESSAGE_BYTES) }];
  const upstream = await startUpstream((_, res) => sendJson(res, { subject: 'Long', messages }));
  const { options } = memoryOptions();
  const gateway = await startGatewayProcess(upstream.url, options);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const conversation =
    '{ conversationContext(id: "5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00") { messages { text } } }';

  async function ask(key: string): Promise<number> {
    const fields = { ...jsonHeaders, 'x-api-key': key };
    const sent = request(gateway.url, { method: 'POST', agent, headers: fields });
    sent.end(bodyOf(conversation));
    const [response] = await once(sent, 'response');
    return (await text(response)).length;
  }

  expect(await ask('key-of-some-length')).toBeGreaterThan(MESSAGE_BYTES);
  const before = await gateway.read('memory');
  const keys = Array.from({ length: CONNECTIONS }, (_, n) => `key-of-connection-${n}`);
  await Promise.all(keys.map(ask));
  const { heapBytes, sockets } = await gateway.read('memory');
  expect(sockets).toBeGreaterThan(CONNECTIONS);
  expect(heapBytes - before.heapBytes).toBeLessThan(2 * MESSAGE_BYTES);
});
