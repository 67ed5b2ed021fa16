import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDisconnect, startClient } from '../support/client.ts';
import { startBoth } from '../support/gateway.ts';
import { sendSite, siteFromPath, startUpstream } from '../support/upstream.ts';
import { faultyKey, post } from './test-setup.ts';

/** Keys that share a prefix or a suffix, and ids and relations that give the same text when concatenated. */
const key = fc
  .tuple(
    fc.constantFrom('', 'a', 'SITE-1'),
    fc.constantFrom('prefix-8', 'prefix-8:', 'prefix-8/v1/site/'),
    fc.constantFrom('', '1', '2', 'SITE-1', '?include=clients'),
  )
  .map((parts) => parts.join(''));
const id = fc.constantFrom(
  'SITE-1',
  'SITE-11',
  'SITE-1?include=clients',
  'SITE-1%3Finclude=clients',
  'SITE-1/SITE-1',
  'SITE-__proto__',
);
const question = fc.record({ key, id, withClients: fc.boolean() });

it('gives each key its own sites, whatever the keys request at once', async () => {
  const { upstream, gateway } = await startBoth({}, (req, res) => {
    const stamp = `${req.headers['x-api-key']} ${siteFromPath(req.url ?? '').id}`;
    setImmediate(() => sendSite(req, res, { city: stamp, clients: [{ name: stamp }] }));
  });
  const rounds = fc.array(question, { minLength: 2, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(rounds, async (questions) => {
      upstream.requests.length = 0;
      const pending = questions.map(({ key, id, withClients }) =>
        post(
          gateway.url,
          `{ site(id: ${JSON.stringify(id)}) { id city ${withClients ? 'clients { name }' : ''} } }`,
          { key },
        ),
      );
      for (const [n, { text }] of (await Promise.all(pending)).entries()) {
        const { key, id, withClients } = questions[n] ?? {};
        const city = `${key} ${id}`;
        expect(JSON.parse(text)).toEqual({
          data: { site: { id, city, ...(withClients && { clients: [{ name: city }] }) } },
        });
      }
      const named = questions.map(({ key, id, withClients }) => JSON.stringify([key, id, withClients]));
      expect(upstream.requests.length).toBeLessThanOrEqual(named.length);
      expect(new Set(upstream.requests.map(({ apiKey }) => apiKey))).toEqual(
        new Set(questions.map(({ key }) => key)),
      );
    }),
    { numRuns: 30 },
  );
});

it('gives a waiter that wants less, and a later one, objects of their own', async () => {
  const clients = [{ id: 'x', emails: [{ value: 'a@b.test' }] }];
  const upstream = await startUpstream((req, res) => sendSite(req, res, { clients }));
  const { getSite, callerOf } = startClient(upstream.url, { CACHE_TTL_MS: '60000' });
  const caller = callerOf(faultyKey, createDisconnect().signal);
  const larger = [1, 2].map(() => getSite(caller, 'SITE-1', ['clients']));
  const [one, same, smaller] = await Promise.all([...larger, getSite(caller, 'SITE-1', [])]);
  const cached = await getSite(caller, 'SITE-1', ['clients']);
  expect(upstream.requests).toHaveLength(1);
  expect(one).toBe(same);
  expect(new Set([one, smaller, cached]).size).toBe(3);
  expect(cached).toEqual(one);
  expect(smaller).toEqual({ ...one, clients: undefined });
});
