import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startGaugedGateway } from '../support/memory-gateway.ts';
import { startForgetfulUpstream } from '../support/upstreams/flaky.ts';
import { jsonHeaders, wireOf } from '../support/wire.ts';

const MAX_GROWTH_BYTES = 30_000_000;
const headers = { ...jsonHeaders, 'x-api-key': 'key-of-some-length' };
const site = JSON.stringify({ query: '{ site(id: "SITE-1") { id } }' });
const question = wireOf('POST /graphql', { ...headers, 'content-length': String(site.length) }, site);

it.each<[string, string]>([
  [
    'a body of one-byte chunks',
    wireOf('POST /graphql', { ...headers, 'transfer-encoding': 'chunked' }) + '1\r\na\r\n'.repeat(100_000),
  ],
  [
    'requests behind the last one that is answered',
    `${question}GET / HTTP/1.1\r\n\r\n${'GET / HTTP/1.1\r\n\r\n'.repeat(200_000)}`,
  ],
  ['requests whose answers are not read', question + wireOf('GET /graphiql/graphiql.js', {}).repeat(5_000)],
])('holds little of %s', { timeout: 60_000 }, async (_, bytes) => {
  const upstream = await startForgetfulUpstream();
  const gateway = await startGaugedGateway(upstream.url, { REQUEST_TIMEOUT_MS: '60000' });
  const { port, hostname } = new URL(gateway.url);
  // The page is made when it is first asked for, and kept.
  await (await fetch(new URL('/graphiql/graphiql.js', gateway.url))).arrayBuffer();
  const before = await gateway.read();
  for (let n = 0; n < 4; n += 1) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).pause();
    socket.write(bytes, 'latin1');
  }
  let most = 0;
  for (let n = 0; n < 40; n += 1) most = Math.max(most, (await gateway.read()).heapBytes);
  expect(most - before.heapBytes).toBeLessThan(MAX_GROWTH_BYTES);
});
