import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { drain } from '../../../reference/http/drain.ts';

/** A server that has received a request over `socket`, and its response. */
async function startRunning() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response] = await once(server, 'request');
  return { server, socket, response };
}

it('completes the requests in progress, closes their connections, and accepts no others', async () => {
  const { server, socket, response } = await startRunning();
  const drained = drain(server);
  response.end('done');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\ndone$/s);
  await drained;
  expect(server.listening).toBe(false);
});

it('closes a connection whose response never ends', async () => {
  const { server, socket, response } = await startRunning();
  response.writeHead(200).write('x');
  await Promise.all([drain(server), once(socket.resume(), 'close')]);
});
