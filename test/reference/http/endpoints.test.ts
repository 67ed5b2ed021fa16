import Sqlite from 'libsql';
import { expect, it } from 'vitest';
import { createAcmeDemo } from '../../../reference/data/acme.ts';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { createGlobexDemo } from '../../../reference/data/globex.ts';
import { startProcess } from '../../support/process.ts';
import { freshDatabasePath } from '../support/database.ts';
import { contextTarget, sendRequest, siteTarget, startFresh, withKey } from '../support/server.ts';

it('sends a 500 without the cause, which onFault gets', async () => {
  const path = await freshDatabasePath();
  const faults: unknown[] = [];
  const reference = await startFresh({
    databaseUrl: `file:${path}`,
    onFault: (fault) => faults.push(fault),
  });
  const db = new Sqlite(path);
  db.exec('drop table sites');
  db.close();
  const response = await sendRequest(reference, siteTarget(demoSites().main));
  expect(response.status).toBe(500);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.body).not.toMatch(/sites|sql|table|\//i);
  expect(String(faults)).toContain('no such table');
  expect((await sendRequest(reference, contextTarget(demoConversations.main))).status).toBe(200);
});

const wrong = 'demo-acme-key-000000000001';

it('writes a line per request, with the name of a known key, and nothing else of any', async () => {
  const env = { REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: ':memory:' };
  const program = await startProcess('reference/main.ts', env);
  const [, url = ''] = await program.printed(/ready at (\S+)\n/);
  const server = { url };
  await sendRequest(server, siteTarget('SITE-1001', '?a=1&include=projects,Clients,clients'));
  await sendRequest(server, siteTarget('SITE-1001', `?x-api-key=${demoKeys.acme}`), withKey(wrong));
  await sendRequest(server, contextTarget('x%9b'), withKey(demoKeys.globex), 'DELETE');
  await sendRequest(server, `/v1/${'a'.repeat(2_000)}`, {});
  await sendRequest(server, `/link/${'a'.repeat(43)}`);
  await sendRequest(server, '/v1/openapi.json', {});
  program.kill('SIGTERM');
  const { stdout, stderr } = await program.exit();
  expect(stderr).toBe('');
  expect(stdout.match(/^.*(?= \d+\.\d ms$)/gm)).toEqual([
    'GET /v1/site/SITE-1001?include=clients,projects 200 acme demo-acm',
    'GET /v1/site/SITE-1001 403 - -',
    'DELETE /v1/conversation/x%9b/context 405 globex demo-glo',
    `GET /v1/${'a'.repeat(496)} 403 - -`,
    'GET /v1/openapi.json 200 - -',
  ]);
});

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
