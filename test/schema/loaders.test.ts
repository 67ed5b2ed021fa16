import fc from 'fast-check';
import { expect, it } from 'vitest';
import { apiKeyOf, createCaller } from '../../src/rest/caller.ts';
import type { UpstreamClient } from '../../src/rest/client.ts';
import { UpstreamTimeout } from '../../src/rest/errors.ts';
import { type Relation, relations, type Site } from '../../src/rest/resources.ts';
import type { ConversationId, SiteId } from '../../src/schema/input.ts';
import { OperationCalls } from '../../src/schema/loaders.ts';
import { createDisconnect } from '../support/client.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { apiKey } from '../support/gateway.ts';
import { bareSite } from '../support/upstream.ts';

interface SiteCall {
  id: string;
  include: readonly Relation[];
  response: Gate<Site | null>;
}

/** The calls of an operation by a client that holds those for sites until the test settles them. */
function createHeldCalls() {
  const sites: SiteCall[] = [];
  const contexts: string[] = [];
  const client: UpstreamClient = {
    getSite(_, id, include) {
      const response = createGate<Site | null>();
      sites.push({ id, include, response });
      return response.promise;
    },
    async getConversationContext(_, id) {
      contexts.push(id);
      return null;
    },
    getHealth: () => Promise.reject(new Error('not requested')),
  };
  const caller = createCaller(apiKeyOf(apiKey), createDisconnect().signal, 10_000);
  const calls = new OperationCalls(client, caller, 50);
  return { calls, loaders: calls, sites, contexts };
}

/** Resolves when all loads so far have reached the client: a batch is sent when the pending promises have settled. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

function siteWith({ id, include }: Pick<SiteCall, 'id' | 'include'>): Site {
  const expanded = Object.fromEntries(include.map((relation) => [relation, [{ id: `${id} ${relation}` }]]));
  return { ...bareSite(id), ...expanded } as Partial<Site> as Site;
}

const one = 'SITE-1' as SiteId;
const two = 'SITE-2' as SiteId;

/** Loads a site with each of these relations, each in a tick of its own. */
async function loadInTurn(...includes: (readonly Relation[])[]) {
  const held = createHeldCalls();
  const loads: Promise<Site | null>[] = [];
  for (const include of includes) {
    loads.push(held.loaders.site(one, include));
    await nextTick();
  }
  return { ...held, loads };
}

it('resolves a fast site before a slow one of the same tick', async () => {
  const { loaders, sites } = createHeldCalls();
  const slow = loaders.site(one, []);
  const fast = loaders.site(two, []);
  await nextTick();
  sites[1]?.response.open(siteWith({ id: two, include: [] }));
  expect(await fast).toMatchObject({ id: two });
  sites[0]?.response.open(null);
  expect(await slow).toBeNull();
});

it('shares a failure within the operation and makes no other call', async () => {
  const { loaders, sites } = createHeldCalls();
  const first = [loaders.site(one, ['clients']), loaders.site(one, [])];
  const other = loaders.site(two, []);
  await nextTick();
  const failure = new Error('no answer');
  sites[0]?.response.fail(failure);
  sites[1]?.response.open(siteWith({ id: two, include: [] }));
  for (const pending of first) await expect(pending).rejects.toBe(failure);
  expect(await other).toMatchObject({ id: two });
  await expect(loaders.site(one, [])).rejects.toBe(failure);
  await expect(loaders.site(one, ['clients'])).rejects.toBe(failure);
  expect(sites).toHaveLength(2);
});

it('fails only the relation where the bare site was loaded', async () => {
  const { loaders, sites, loads } = await loadInTurn([], ['clients']);
  const [bare, clients] = loads;
  sites[0]?.response.open(siteWith({ id: one, include: [] }));
  sites[1]?.response.fail(new Error('no answer'));
  await expect(clients).rejects.toThrow('no answer');
  expect(await bare).toMatchObject({ id: one });
  expect(await loaders.site(one, [])).toMatchObject({ id: one });
  expect(sites).toHaveLength(2);
});

it('returns the relation that was loaded when another fails', async () => {
  const { loaders, sites, loads } = await loadInTurn(['clients'], ['clients', 'projects']);
  const [clients, both] = loads;
  const failure = new Error('no answer');
  sites[0]?.response.open(siteWith({ id: one, include: ['clients'] }));
  sites[1]?.response.fail(failure);
  expect(await clients).toMatchObject({ clients: [{}] });
  expect(await both).toMatchObject({ id: one, clients: [{}], projects: failure });
  await expect(loaders.site(one, ['projects'])).rejects.toBe(failure);
  expect(sites).toHaveLength(2);
});

const timeout = new UpstreamTimeout(1);

it('reports the first failure where the bare site fails too', async () => {
  const { sites, loads } = await loadInTurn(['clients']);
  const [clients] = loads;
  sites[0]?.response.fail(timeout);
  await nextTick();
  sites[1]?.response.fail(new Error('another'));
  await expect(clients).rejects.toBe(timeout);
});

it('sends a load in the same turn where loads are not merged, and no call twice in the next execution', async () => {
  const { calls, sites, contexts } = createHeldCalls();
  const id = 'a' as ConversationId;
  calls.merges = false;
  void calls.site(one, ['clients']);
  void calls.conversationContext(id);
  expect([sites.length, contexts]).toEqual([1, [id]]);
  calls.merges = true;
  const site = calls.site(one, ['clients']);
  const context = calls.conversationContext(id);
  await nextTick();
  expect([sites.length, contexts]).toEqual([1, [id]]);
  for (const call of sites) call.response.open(siteWith(call));
  expect(await Promise.all([site, context])).toMatchObject([{ id: one }, null]);
});

it('requests a site once a tick, no relation twice, and resolves each load with what it asked for', async () => {
  const question = fc.record({
    id: fc.constantFrom('SITE-1', 'SITE-2', 'SITE-3').map((id) => id as SiteId),
    include: fc.subarray([...relations]),
  });
  const ticks = fc.array(fc.array(question, { maxLength: 6 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(ticks, fc.infiniteStream(fc.boolean()), async (rounds, late) => {
      const { loaders, sites } = createHeldCalls();
      const pending: Promise<unknown>[] = [];
      const held: SiteCall[] = [];
      for (const questions of rounds) {
        const before = sites.length;
        for (const { id, include } of questions) {
          pending.push(
            loaders.site(id, include).then((site) => {
              expect(site).toMatchObject(siteWith({ id, include }));
            }),
          );
        }
        await nextTick();
        const made = sites.slice(before);
        expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
        for (const call of made) {
          if (late.next().value) held.push(call);
          else call.response.open(siteWith(call));
        }
      }
      for (const call of held.reverse()) call.response.open(siteWith(call));
      await Promise.all(pending);

      const requested = rounds
        .flat()
        .flatMap(({ id, include }) => include.map((relation) => `${id} ${relation}`));
      const brought = sites.flatMap(({ id, include }) => include.map((relation) => `${id} ${relation}`));
      expect(brought.sort()).toEqual([...new Set(requested)].sort());
    }),
    { numRuns: 100 },
  );
});

it('forgets what it has loaded once there is a response', async () => {
  const { calls, contexts } = createHeldCalls();
  const id = 'b0c5a1a0-0000-4000-8000-000000000000' as ConversationId;
  await calls.conversationContext(id);
  await calls.conversationContext(id);
  expect(contexts).toEqual([id]);
  calls.end();
  await calls.conversationContext(id);
  expect(contexts).toEqual([id, id]);
});
