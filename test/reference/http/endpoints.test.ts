import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../src/reference/data/demo-ids.ts';
import type { ObservedRequest } from '../../../src/reference/http/api.ts';
import { freshDatabasePath } from '../support/database.ts';
import { ask, contextTarget, dropTable, siteTarget, startFresh } from '../support/server.ts';

const known = demoSites();

describe('the endpoints', () => {
  it('answer health', async () => {
    const answer = await ask(await startFresh(), '/v1/health');
    expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it('expand exactly the relations that include names', async () => {
    const reference = await startFresh();
    const keysFor = async (query: string) => {
      const { status, body } = await ask(reference, siteTarget(known.main, query));
      expect(status).toBe(200);
      return Object.keys(JSON.parse(body)).filter((key) => key === 'clients' || key === 'projects');
    };
    for (const query of [
      '',
      '?',
      '?include=',
      '?include=,,',
      '?include=owners',
      '?include=Clients',
      '?x=clients',
    ]) {
      expect(await keysFor(query), query).toEqual([]);
    }
    for (const query of ['clients', '%20clients%20', 'clients,clients', ',clients,owners,', '+clients']) {
      expect(await keysFor(`?include=${query}`), query).toEqual(['clients']);
    }
    expect(await keysFor('?include=projects')).toEqual(['projects']);
    for (const query of [
      'clients,projects',
      'projects,clients',
      'clients%2Cprojects',
      'clients&include=projects',
    ]) {
      expect(await keysFor(`?include=${query}`), query).toEqual(['clients', 'projects']);
    }
  });

  it('add to a site nothing but what was included', async () => {
    const reference = await startFresh();
    const bare = JSON.parse((await ask(reference, siteTarget(known.main))).body);
    const full = JSON.parse((await ask(reference, siteTarget(known.main, '?include=projects,clients'))).body);
    const { clients, projects, ...rest } = full;
    expect(rest).toEqual(bare);
    expect([clients.length, projects.length]).toEqual([3, 3]);
  });

  it('answer HEAD like GET, without the body', async () => {
    const reference = await startFresh();
    for (const target of ['/v1/health', siteTarget(known.main), contextTarget(demoConversations.main)]) {
      const [get, head] = [await ask(reference, target), await ask(reference, target, undefined, 'HEAD')];
      expect(head).toMatchObject({ status: 200, body: '' });
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['cache-control']).toBe('no-store');
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.body)));
    }
    expect((await ask(reference, siteTarget('SITE-none'), undefined, 'HEAD')).status).toBe(404);
  });

  it('refuse other methods with 405 and Allow, once the key is known', async () => {
    const reference = await startFresh();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      for (const target of ['/v1/health', siteTarget(known.main), contextTarget(demoConversations.main)]) {
        const answer = await ask(reference, target, undefined, method);
        expect(answer.status, `${method} ${target}`).toBe(405);
        expect(answer.headers.allow).toBe('GET, HEAD');
        expect((await ask(reference, target, {}, method)).status).toBe(403);
      }
    }
  });

  it('do not read a body, and answer the next request of its connection', async () => {
    const { url } = await startFresh();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const method of ['GET', 'POST', 'GET']) {
      const headers = { 'x-api-key': demoKeys.acme, 'content-length': 10_000 };
      const sent = request(`${url}/v1/health`, { agent, method, headers });
      sent.end('x'.repeat(10_000));
      const [response] = await once(sent, 'response');
      expect(response.statusCode).toBe(method === 'GET' ? 200 : 405);
      await once(response.resume(), 'end');
    }
    agent.destroy();
  });

  it('do not exist anywhere else', async () => {
    const reference = await startFresh();
    const id = encodeURIComponent(known.main);
    const targets = [
      '/',
      '/v1',
      '/v1/',
      '/v1/site',
      '/v1/site/',
      `/v1/site/${id}/`,
      `/v1/site/${id}/clients`,
    ];
    const others = [
      '/v2/health',
      '/V1/health',
      '//v1/health',
      '/v1/Health',
      `/v1/conversation/${demoConversations.main}`,
    ];
    for (const target of [...targets, ...others]) {
      const answer = await ask(reference, target);
      expect(answer.status, target).toBe(404);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
  });

  it('describe every refusal as a problem that is never stored', async () => {
    const reference = await startFresh();
    const refusals = [
      { answer: await ask(reference, '/v1/health', {}), status: 403, title: 'Forbidden' },
      { answer: await ask(reference, siteTarget('nope')), status: 400, title: 'Bad Request' },
      { answer: await ask(reference, siteTarget('SITE-none')), status: 404, title: 'Not Found' },
      {
        answer: await ask(reference, '/v1/health', undefined, 'PUT'),
        status: 405,
        title: 'Method Not Allowed',
      },
    ];
    for (const { answer, status, title } of refusals) {
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
      });
      const problem = JSON.parse(answer.body);
      expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail']);
      expect(problem).toMatchObject({
        status,
        title,
        type: expect.stringMatching(/^urn:partner-api:problem:/),
      });
    }
    for (const target of ['/v1/health', siteTarget(known.main), contextTarget(demoConversations.main)]) {
      expect((await ask(reference, target)).headers['cache-control']).toBe('no-store');
    }
  });

  it('answer a fault of their own with a problem that tells nothing of it', async () => {
    const path = await freshDatabasePath();
    const faults: unknown[] = [];
    const reference = await startFresh({
      databaseUrl: `file:${path}`,
      onFault: (fault) => faults.push(fault),
    });
    dropTable(path, 'sites');
    const answer = await ask(reference, siteTarget(known.main));
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body).not.toMatch(/sites|sql|table|\//i);
    expect(String(faults)).toContain('no such table');
    expect((await ask(reference, contextTarget(demoConversations.main))).status).toBe(200);
  });

  it('report every request with its partner and without its key', async () => {
    const seen: ObservedRequest[] = [];
    const reference = await startFresh({ onRequest: (request) => seen.push(request) });
    await ask(reference, siteTarget(known.withSlash, '?include=clients'));
    await ask(reference, '/v1/site/%zz', { 'x-api-key': demoKeys.globex }, 'HEAD');
    await ask(reference, '/elsewhere?a=b', {});
    await ask(reference, '/v1/health', { 'x-api-key': 'unknown-key-0000000000' }, 'POST');
    expect(seen).toEqual([
      { method: 'GET', path: '/v1/site/SITE-North%2FAnnex?include=clients', status: 200, partnerId: 'acme' },
      { method: 'HEAD', path: '/v1/site/%zz', status: 400, partnerId: 'globex' },
      { method: 'GET', path: '/elsewhere?a=b', status: 404, partnerId: null },
      { method: 'POST', path: '/v1/health', status: 403, partnerId: null },
    ]);
    expect(JSON.stringify(seen)).not.toContain('key');
  });
});
