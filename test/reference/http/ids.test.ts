import fc from 'fast-check';
import Sqlite from 'libsql';
import { describe, expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../src/reference/data/demo-ids.ts';
import { freshDatabasePath } from '../support/database.ts';
import {
  contextTarget,
  dropTable,
  exchange,
  sendRequest,
  siteTarget,
  startFresh,
} from '../support/server.ts';

describe('site ids', () => {
  it('may contain any characters, percent-encoded in the path', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}` });
    const db = new Sqlite(path);
    const insert = db.prepare("insert into sites values ('acme', ?, ?, '[]', '[]')");
    const tail = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom('%', '/', '?', '#', ' ', '+', '.', '\\', '%2F', 'é', '𝒮', ';', ':'),
        maxLength: 12,
      }),
    );
    let row = 0;
    await fc.assert(
      fc.asyncProperty(tail, async (text) => {
        const id = `SITE-x${row++}${text}`;
        fc.pre(!/\p{Cc}|[\u2028\u2029]/u.test(id) && id.isWellFormed());
        insert.run([id, JSON.stringify({ id })]);
        const response = await sendRequest(reference, siteTarget(id));
        expect(response.status, id).toBe(200);
        expect(JSON.parse(response.body)).toEqual({ id });
      }),
    );
    db.close();
  });

  it('have at most 200 code points', async () => {
    const reference = await startFresh();
    for (const character of ['x', '🏠']) {
      expect((await sendRequest(reference, siteTarget(`SITE-${character.repeat(195)}`))).status).toBe(404);
    }
  });

  it('are one segment: a slash or a dot segment does not lead to another address', async () => {
    const reference = await startFresh();
    expect((await sendRequest(reference, '/v1/site/SITE-North/Annex')).status).toBe(404);
    expect((await sendRequest(reference, '/v1/site/SITE-x/../SITE-1001')).status).toBe(404);
    expect((await sendRequest(reference, '/v1/site/%2e%2e')).status).toBe(400);
    expect((await sendRequest(reference, '/v1/site/..%2Fhealth')).status).toBe(400);
  });

  it('are rejected without a query when they are malformed', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}` });
    // Without the table, every query is a 500.
    dropTable(path, 'sites');
    const ids = [
      '1001',
      'site-1001',
      'SITE',
      'SITE1001',
      'XSITE-1',
      ' SITE-1',
      'PROP-1',
      'constructor',
      '__proto__',
    ];
    for (const id of [
      ...ids,
      'SITE-\u0000',
      'SITE-a\nb',
      'SITE-\u007f',
      'SITE-\u0085',
      `SITE-${'x'.repeat(196)}`,
      `SITE-${'🏠'.repeat(196)}`,
    ]) {
      expect((await sendRequest(reference, siteTarget(id))).status, JSON.stringify(id)).toBe(400);
    }
    for (const segment of ['SITE-%', 'SITE-%zz', 'SITE-%C3', 'SITE-%ED%A0%80', 'SITE-%FF']) {
      expect((await sendRequest(reference, `/v1/site/${segment}`)).status, segment).toBe(400);
    }
    expect((await sendRequest(reference, siteTarget('SITE-1'))).status).toBe(500);
  });

  it('have the configured prefix', async () => {
    const reference = await startFresh({ siteIdPrefix: 'PROP' });
    const response = await sendRequest(reference, siteTarget(demoSites('PROP').main));
    expect(JSON.parse(response.body).id).toBe('PROP-1001');
    expect((await sendRequest(reference, siteTarget('SITE-1001'))).status).toBe(400);
  });
});

describe('conversation ids', () => {
  it('are rejected without a query when they are malformed', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}` });
    dropTable(path, 'conversations');
    const { main } = demoConversations;
    for (const id of [
      '1',
      'SITE-1001',
      main.slice(1),
      `${main}0`,
      `{${main}}`,
      main.replaceAll('-', ''),
      `%20${main}`,
    ]) {
      expect((await sendRequest(reference, contextTarget(id))).status, id).toBe(400);
    }
    expect((await sendRequest(reference, contextTarget(main))).status).toBe(500);
  });
});

describe('malformed requests', () => {
  it('get a problem without internals, and the next request is served', async () => {
    const reference = await startFresh();
    const key = `x-api-key: ${demoKeys.acme}\r\nconnection: close\r\n`;
    const malformed = [
      `GET /v1/site/SITE-${'x'.repeat(10_240)} HTTP/1.1\r\nhost: a\r\n${key}\r\n`,
      `GET /v1/health HTTP/1.1\r\nhost: a\r\n${key}x-large: ${'x'.repeat(40_000)}\r\n\r\n`,
      `GET /v1/health HTTP/1.1\r\nhost: a\r\n${key}${key}\r\n`,
      `GET /v1/health HTTP/1.1\r\nhost: a\r\n${key}${'x-many: y\r\n'.repeat(3_000)}\r\n`,
      `GET /v1/health HTTP/1.1\r\nhost: a\r\n${key}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
      `GET /v1/site/SITE-\u0001 HTTP/1.1\r\nhost: a\r\n${key}\r\n`,
      `GET /v1/site/SITE-\u00e9\u00ff HTTP/1.1\r\nhost: a\r\n${key}\r\n`,
      `GET /v1/health HTTP/1.1\r\nhost: a\r\n${key}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
      `GET v1/health HTTP/1.1\r\nhost: a\r\n${key}\r\n`,
      'not http at all\r\n\r\n',
    ];
    for (const bytes of malformed) {
      const received = await exchange(reference.url, bytes);
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
      expect(await exchange(reference.url, `GET ${target}${rest}`), target).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});
