import { execFile } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openPort } from '../../src/http/port.ts';
import { startGateway } from '../support/gateway.ts';
import { expectNoLeak } from './leaks.ts';
import { faultyKey, one, otherKey, post } from './test-setup.ts';

const TIMEOUT_MS = 5_000;
const env = { UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS), ALLOW_INSECURE_UPSTREAM: 'on' };

/** These faults affect every key: no connection can be made. */
async function expectUnavailable(url: string): Promise<void> {
  const gateway = await startGateway(url, env);
  const pending = Array.from({ length: 51 }, (_, n) =>
    post(gateway.url, one, { key: n === 0 ? faultyKey : otherKey }),
  );
  for (const posted of await Promise.all(pending)) {
    expect(posted).toMatchObject({ status: 200, response: { data: { site: null } } });
    expect(posted.response.errors).toMatchObject([
      { path: ['site'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
    ]);
    expect(posted.elapsedMs).toBeLessThan(TIMEOUT_MS);
    expectNoLeak(posted, { upstream: { url }, gateway });
  }
  expect((await post(gateway.url, '{ __typename }')).text).toBe('{"data":{"__typename":"Query"}}');
}

/** The port of a server that handles each connection with `create`, closed at the end of the test. */
async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  const url = await openPort(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return new URL(url).port;
}

it('turns an unknown host and each fault of a handshake into UPSTREAM_UNAVAILABLE', async () => {
  const servers = [
    createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    createTlsServer({}),
    createServer((socket) => socket.once('data', () => socket.destroy())),
  ];
  for (const server of servers) await expectUnavailable(`https://127.0.0.1:${await listen(server)}`);
  // Longer than a name may be, so that no DNS query is sent.
  await expectUnavailable(`http://${'a'.repeat(64)}.test`);
});

const certificate = await selfSigned();

it.skipIf(certificate === undefined)(
  'sends no key to a host whose certificate cannot be verified',
  async () => {
    const received: Buffer[] = [];
    const server = createTlsServer({ key: certificate, cert: certificate }, (socket) =>
      socket.on('data', (bytes) => received.push(bytes)),
    );
    await expectUnavailable(`https://127.0.0.1:${await listen(server)}`);
    expect(received).toEqual([]);
  },
);

/** A key and its certificate, as one PEM; undefined, with a warning, where openssl is missing. */
async function selfSigned(): Promise<string | undefined> {
  const make = 'req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 1 -keyout -';
  try {
    return (await promisify(execFile)('openssl', make.split(' '))).stdout;
  } catch {
    console.warn('skipped: no openssl to make a certificate with');
    return undefined;
  }
}
