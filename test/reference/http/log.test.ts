import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { startProcess } from '../../support/process.ts';
import { contextTarget, sendRequest, siteTarget, withKey } from '../support/server.ts';

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
