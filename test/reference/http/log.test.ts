import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath } from '../support/database.ts';
import { outcomeOf, run, urlOf } from '../support/process.ts';
import { contextTarget, sendRequest, siteTarget, withKey } from '../support/server.ts';

/** What the reference prints of requests at this level, between its start and its end. */
async function printed(level: string, send: (server: { url: string }) => Promise<unknown>) {
  const child = run({
    REFERENCE_PORT: '0',
    REFERENCE_DATABASE_URL: `file:${await freshDatabasePath()}`,
    LOG_LEVEL: level,
  });
  const outcome = outcomeOf(child);
  await send(await urlOf(child));
  child.kill('SIGTERM');
  const { output, errors } = await outcome;
  expect(errors).toBe('');
  return output.split('\n').filter((line) => / ms$/.test(line));
}

const wrong = 'demo-acme-key-000000000001';

it('writes a line per request, with the name of a known key, and nothing else of any', async () => {
  const lines = await printed('info', async (server) => {
    await sendRequest(server, siteTarget('SITE-1001', '?a=1&include=projects,Clients,clients'));
    await sendRequest(server, siteTarget('SITE-1001', `?x-api-key=${demoKeys.acme}`), withKey(wrong));
    await sendRequest(server, contextTarget('x%9b'), withKey(demoKeys.globex), 'DELETE');
    await sendRequest(server, `/v1/${'a'.repeat(2_000)}`, {});
    await sendRequest(server, `/link/${'a'.repeat(43)}`);
    await sendRequest(server, '/v1/openapi.json', {});
  });
  const shown = lines.map((line) => line.replace(/ \d+\.\d ms$/, ''));
  expect(shown).toEqual([
    'GET /v1/site/SITE-1001?include=clients,projects 200 acme demo-acm',
    'GET /v1/site/SITE-1001 403 - -',
    'DELETE /v1/conversation/x%9b/context 405 globex demo-glo',
    `GET /v1/${'a'.repeat(496)} 403 - -`,
    'GET /v1/openapi.json 200 - -',
  ]);
});
