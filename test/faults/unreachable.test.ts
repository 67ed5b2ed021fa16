import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, it } from 'vitest';
import { hasOpenssl, makeCertificate } from '../support/certificate.ts';
import { startGateway } from '../support/gateway.ts';
import { listen } from '../support/ports.ts';
import { expectNoLeak, one, post } from './test-setup.ts';

const env = { ALLOW_INSECURE_UPSTREAM: 'on' };

async function expectUnavailable(url: string): Promise<void> {
  const gateway = await startGateway(url, env);
  const posted = await post(gateway.url, one);
  expect(posted).toMatchObject({ status: 200, response: { data: { site: null } } });
  expect(posted.response.errors).toMatchObject([
    { path: ['site'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  expectNoLeak(posted, { upstream: { url }, gateway });
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

it.skipIf(!hasOpenssl)('sends no key to a host whose certificate cannot be verified', async () => {
  const certificate = readFileSync(await makeCertificate());
  const received: Buffer[] = [];
  const server = createTlsServer({ key: certificate, cert: certificate }, (socket) =>
    socket.on('data', (bytes) => received.push(bytes)),
  );
  await expectUnavailable(`https://127.0.0.1:${await listen(server)}`);
  expect(received).toEqual([]);
});
