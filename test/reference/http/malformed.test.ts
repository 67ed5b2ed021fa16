import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import type { ObservedRequest } from '../../../reference/http/api.ts';
import { startReference } from '../../../reference/server.ts';
import { sendRaw } from '../../support/wire.ts';
import { freshDatabasePath } from '../support/database.ts';
import { optionsFor, sendRequest, startFresh } from '../support/server.ts';

const key = `x-api-key: ${demoKeys.acme}\r\n`;
const last = 'connection: close\r\n\r\n';

const expectProblem = (received: string, status: number) => {
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(received.toLowerCase()).toContain('content-type: application/problem+json\r\n');
  expect(received).toMatch(new RegExp(`"status":${status},[^\r\n]*\\}$`));
};

describe('a request that Node rejects or ignores by default', () => {
  it('is a 400 without exactly one valid Host, and is reported once', async () => {
    const requests: ObservedRequest[] = [];
    const reference = await startFresh({ onRequest: (request) => requests.push(request) });
    const targets = ['/v1/health', '/v1/openapi.json', '/v1/nothing', '/elsewhere', '/', '/v1/site/\\'];
    for (const host of ['', 'host:\r\n', 'host: a\r\nhost: a\r\n', 'host: a b\r\n']) {
      for (const target of [...targets, '/link/secret', '/link']) {
        const received = await sendRaw(reference.url, `GET ${target} HTTP/1.1\r\n${host}${key}${last}`);
        expectProblem(received, 400);
      }
      expect(requests.splice(0)).toMatchObject(
        targets.map((path) => ({ method: 'GET', path, status: 400, partnerId: null })),
      );
    }
  });

  it('is served with any Expect', async () => {
    const reference = await startFresh();
    for (const expectation of ['foo', '100-continue']) {
      const received = await sendRaw(
        reference.url,
        `GET /v1/health HTTP/1.1\r\nhost: a\r\nexpect: ${expectation}\r\n${key}${last}`,
      );
      expect(received, expectation).toMatch(/HTTP\/1\.1 200 OK\r\n/);
    }
  });

  it('is a 405 for CONNECT, and does not keep the server from closing', async () => {
    const reference = await startReference(optionsFor(await freshDatabasePath()));
    const socket = connect({ port: Number(new URL(reference.url).port), allowHalfOpen: true });
    socket.write('CONNECT any.example:443 HTTP/1.1\r\nhost: any.example\r\n\r\n');
    const [received] = await once(socket.setEncoding('utf8'), 'data');
    expectProblem(received, 405);
    expect(received).toContain('\r\nallow: GET, HEAD\r\n');
    await reference.close();
    socket.destroy();
  });

  it('is rejected for a second key after thousands of header fields', async () => {
    const reference = await startFresh();
    const many = 'a:\r\n'.repeat(3_000);
    const responses = [`${key}${many}`, `${key}${many}${key}`].map((fields) =>
      sendRaw(reference.url, `GET /v1/health HTTP/1.1\r\nhost: a\r\n${fields}${last}`),
    );
    const statuses = (await Promise.all(responses)).map((received) => received.slice(9, 12));
    expect(statuses).toEqual(['200', '403']);
  });
});

describe('malformed requests', () => {
  it('get a problem without internals, and the next request is served', async () => {
    const reference = await startFresh();
    const fields = `host: a\r\nconnection: close\r\n${key}`;
    const malformed = [
      `GET /v1/health HTTP/1.1\r\n${fields}${'x-many: y\r\n'.repeat(3_000)}\r\n`,
      `GET /v1/health HTTP/1.1\r\n${fields}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
      `GET /v1/site/SITE-\u0001 HTTP/1.1\r\n${fields}\r\n`,
      `GET /v1/site/SITE-\u00e9\u00ff HTTP/1.1\r\n${fields}\r\n`,
      `GET /v1/health HTTP/1.1\r\n${fields}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
      `GET v1/health HTTP/1.1\r\n${fields}\r\n`,
      'not http at all\r\n\r\n',
    ];
    for (const bytes of malformed) {
      const received = await sendRaw(reference.url, bytes);
      expect(received, bytes.slice(0, 60)).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(received.toLowerCase()).toContain('content-type: application/problem+json');
      expect(received.toLowerCase()).toContain('cache-control: no-store');
      expect(received).not.toMatch(/\bat \/|node:|Error:|SQLITE/);
    }
    expect((await sendRequest(reference, '/v1/health')).status).toBe(200);
  });

  it('are not those that are merely unusual', async () => {
    const reference = await startFresh();
    const rest = ` HTTP/1.1\r\nhost: a\r\nX-API-KEY: ${demoKeys.acme}\r\nconnection: close\r\n\r\n`;
    for (const target of [
      'http://any.example/v1/health',
      '/v1/health?x=/v1/site/y',
      '/v1/site/SITE-1001?include=%zz',
    ]) {
      expect(await sendRaw(reference.url, `GET ${target}${rest}`), target).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});
