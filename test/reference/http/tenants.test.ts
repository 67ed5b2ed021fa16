import { expect, it } from 'vitest';
import { createAcmeDemo } from '../../../reference/data/acme.ts';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { createGlobexDemo } from '../../../reference/data/globex.ts';
import { contextTarget, sendRequest, siteTarget, startFresh } from '../support/server.ts';

const tenants = [
  { key: demoKeys.acme, own: createAcmeDemo('SITE'), foreign: createGlobexDemo('SITE') },
  { key: demoKeys.globex, own: createGlobexDemo('SITE'), foreign: createAcmeDemo('SITE') },
];

it('tenants get the same 404 for every object of another tenant as for a missing one', async () => {
  const reference = await startFresh();
  for (const { key, own, foreign } of tenants) {
    const headers = { 'x-api-key': key };
    const ownSites = new Set(own.sites.map(({ site }) => site.id));
    const ownConversations = new Set(own.conversations.map(({ id }) => id));
    const hidden = [
      ...foreign.sites.filter(({ site }) => !ownSites.has(site.id)).map(({ site }) => siteTarget(site.id)),
      ...foreign.conversations
        .filter(({ id }) => !ownConversations.has(id))
        .map(({ id }) => contextTarget(id)),
    ];
    expect(hidden.length).toBeGreaterThan(15);
    const missing = await sendRequest(reference, siteTarget('SITE-nowhere'), headers);
    for (const target of hidden) {
      const response = await sendRequest(reference, target, headers);
      expect(response, target).toMatchObject({ status: 404, body: missing.body });
      expect(Object.keys(response.headers)).toEqual(Object.keys(missing.headers));
    }
  }
});
