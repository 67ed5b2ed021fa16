import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { apiKey, startGateway } from '../support/gateway.ts';
import { closed, startUpstream } from '../support/upstream.ts';

function pipelined(id: string): string {
  const body = JSON.stringify({ query: `{ site(id: "${id}") { id } }` });
  return [
    'POST /graphql HTTP/1.1',
    'host: gateway.test',
    'content-type: application/json',
    `x-api-key: ${apiKey}`,
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

it('aborts the REST calls of all pipelined requests when the client disconnects', async () => {
  const held: ServerResponse[] = [];
  const upstream = await startUpstream((_, res) => held.push(res));
  const gateway = await startGateway(upstream.url);
  const { port, hostname } = new URL(gateway.origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(['SITE-1', 'SITE-2', 'SITE-3'].map(pipelined).join(''));
  await upstream.received(3);
  socket.destroy();
  await Promise.all(held.map(closed));
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-3']);
});
