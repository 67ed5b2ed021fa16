import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { createDrain } from '../../../reference/http/drain.ts';
import { startReference } from '../../../reference/server.ts';
import { freshDatabasePath } from '../support/database.ts';
import { optionsFor } from '../support/server.ts';

const headers = { 'x-api-key': demoKeys.acme };

/** Sends requests over one connection until a response closes it. Resolves to the number of responses. */
async function call(url: string, onResponse: () => void): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let responses = 1; ; responses += 1) {
    const [response]: IncomingMessage[] = await once(get(url, { agent, headers }), 'response');
    if (response?.statusCode !== 200) throw new Error(`status ${response?.statusCode}`);
    await once(response.resume(), 'end');
    onResponse();
    if (response.headers.connection === 'close') return responses;
  }
}

/** A server that has received a request over `socket`, and its response. */
async function startRunning() {
  const server = createServer();
  const drain = createDrain(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response] = await once(server, 'request');
  return { server, drain, socket, response };
}

it('completes every request, and closes each connection with its last response', async () => {
  const reference = await startReference(optionsFor(await freshDatabasePath()));
  let closed: Promise<void> | undefined;
  let count = 0;
  const onResponse = () => {
    count += 1;
    if (count === 1_000) closed = reference.close();
  };
  const callers = Array.from({ length: 64 }, () => call(`${reference.url}/v1/site/SITE-1001`, onResponse));
  for (const responses of await Promise.all(callers)) expect(responses).toBeGreaterThan(0);
  expect(count).toBeGreaterThanOrEqual(1_000 + callers.length - 1);
  await closed;
  await expect(fetch(reference.url)).rejects.toThrow();
});

it('closes a connection whose response never ends', async () => {
  const { drain, socket, response } = await startRunning();
  response.writeHead(200).write('x');
  await Promise.all([drain(), once(socket.resume(), 'close')]);
});
