import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Client } from '@urql/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';
import { buildGuide, type Guide, page } from './guide.ts';

/* The recipes of docs/frontend.md. */

let guide: Guide;
beforeAll(async () => {
  guide = await buildGuide();
});
afterAll(() => guide.remove());

interface Portico {
  url: string;
  apiKey: string;
}

/** A gateway whose upstream fails for these ids, and for all relations where `relations` is false. */
async function start({ failing = [] as string[], relations = true } = {}) {
  const upstream = await startUpstream((req, res) => {
    if (req.url?.startsWith('/v1/conversation/')) {
      const sites = ['SITE-1', 'SITE-2', 'SITE-1'].map((id) => ({ id, address: `at ${id}` }));
      return sendJson(res, { subject: 'Roof', messages: [], sites });
    }
    const { id, include } = siteFromPath(req.url ?? '');
    const fails = failing.includes(id) || (include.length > 0 && !relations);
    const expansion = include.includes('clients') && {
      clients: [{ name: `of ${id}`, emails: [], isPrimary: true }],
    };
    return sendJson(res, { ...bareSite(id), ...expansion }, fails ? 503 : 200);
  });
  const gateway = await startGateway(upstream.url);
  return { upstream, portico: { url: gateway.url, apiKey } };
}

it('begins with a request that works as pasted', async () => {
  const [, snippet = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const { portico } = await start();
  const pasted = snippet.replace('http://127.0.0.1:4000/graphql', portico.url);
  expect(pasted).not.toBe(snippet);
  const module = `data:text/javascript,${encodeURIComponent(`${pasted}export { data, errors };`)}`;
  const { data, errors } = await import(module);
  expect(data).toEqual({ site: { city: null, primaryClient: { name: 'of SITE-1001' } } });
  expect(errors).toBeUndefined();
});

it('shows one site with the problem of its relations', async () => {
  const { upstream, portico } = await start({ relations: false });
  const { createClient } = await guide.load<{ createClient(portico: Portico): Client }>('src/urql.ts');
  const { showSite } = await guide.load<{
    showSite(client: Client, id: string, show: (state: State) => void): () => void;
  }>('src/one-site.ts');
  interface State {
    site: { id: string };
    isComplete: boolean;
    clientProblem?: string;
  }
  const states = await new Promise<State[]>((resolve) => {
    const shown: State[] = [];
    showSite(createClient(portico), 'SITE-1', (state) => {
      shown.push(state);
      if (state.isComplete) resolve(shown);
    });
  });
  expect([...new Set(upstream.paths())]).toEqual([
    '/v1/site/SITE-1',
    '/v1/site/SITE-1?include=clients,projects',
  ]);
  expect(states.at(0)).toMatchObject({ site: { id: 'SITE-1' }, isComplete: false, clientProblem: undefined });
  expect(states.at(-1)).toMatchObject({
    site: { id: 'SITE-1' },
    isComplete: true,
    clientProblem: 'The REST API is unavailable. Retry later.',
  });
});

it("reads a conversation with its sites' clients by one call, and one for each distinct site", async () => {
  const { upstream, portico } = await start({ failing: ['SITE-2'] });
  const { conversation } = await guide.load<{ conversation: TypedDocumentNode }>('src/documents.ts');
  const { request } = await guide.load<{
    request(portico: Portico, document: TypedDocumentNode, variables: object): Promise<object>;
  }>('src/portico.ts');
  const id = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
  const { data, errors } = (await request(portico, conversation, { id })) as Record<string, object>;
  const [context, ...sites] = upstream.paths();
  expect(context).toBe(`/v1/conversation/${id}/context`);
  expect(sites.filter((path) => path.includes('SITE-1'))).toEqual(['/v1/site/SITE-1?include=clients']);
  const loaded = { id: 'SITE-1', clients: [{ name: 'of SITE-1', emails: [] }] };
  expect(data).toMatchObject({
    conversationContext: { subject: 'Roof', sites: [{ site: loaded }, { site: null }, { site: loaded }] },
  });
  expect(errors).toMatchObject([{ path: ['conversationContext', 'sites', 1, 'site'] }]);
});

it('loads a list of sites page by page, each failure in its row', async () => {
  const { upstream, portico } = await start({ failing: ['SITE-51'] });
  const { loadRows } = await guide.load<{
    loadRows(
      portico: Portico,
      ids: string[],
    ): AsyncGenerator<{ id: string; site: object | null; problem?: string }[]>;
  }>('src/list.ts');
  const ids = Array.from({ length: 52 }, (_, n) => `SITE-${n}`);
  const pages = [];
  for await (const rows of loadRows(portico, ids)) pages.push(rows);
  expect(pages.map((rows) => rows.length)).toEqual([50, 2]);
  expect(new Set(upstream.paths())).toEqual(new Set(ids.map((id) => `/v1/site/${id}`)));
  expect(pages[0]?.every(({ site, problem }) => site !== null && problem === undefined)).toBe(true);
  expect(pages[1]).toMatchObject([
    { id: 'SITE-50', site: { id: 'SITE-50' }, problem: undefined },
    { id: 'SITE-51', site: null, problem: 'The REST API is unavailable. Retry later.' },
  ]);
});

it('polls after a pause, and after a rate limit not before it is over', async () => {
  const { poll } = await guide.load<{
    poll(
      load: () => Promise<{ errors: object[] }>,
      options: { everyS: number; signal: AbortSignal; pause(seconds: number): Promise<void> },
    ): Promise<void>;
  }>('src/poll.ts');
  const limited = { message: '', extensions: { code: 'RATE_LIMITED', retryAfter: 300 } };
  const results = [[], [limited], []];
  const controller = new AbortController();
  const pauses: number[] = [];
  await poll(async () => ({ errors: results[pauses.length] ?? [] }), {
    everyS: 30,
    signal: controller.signal,
    async pause(seconds) {
      pauses.push(seconds);
      if (pauses.length === results.length) controller.abort();
    },
  });
  // Up to a tenth longer, at random.
  expect(pauses.map((seconds) => Math.floor(seconds / 30))).toEqual([1, 10, 1]);
});
