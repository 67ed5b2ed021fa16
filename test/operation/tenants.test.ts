import { expect, it } from 'vitest';
import { canary, expectRecovery, postBesideOthers, startTestSetup } from '../faults/test-setup.ts';
import { sendJson } from '../support/upstream.ts';

it('responds to a foreign site and a missing one alike while others are served', async () => {
  const responses: string[] = [];
  for (const message of [canary, 'not yours']) {
    const setup = await startTestSetup((_, res) => sendJson(res, { message }, 404));
    const query = '{ site(id: "SITE-1") { id clients { name } } }';
    const { status, text, headers } = await postBesideOthers(setup, query);
    expect(setup.faulty()).toEqual(['/v1/site/SITE-1?include=clients']);
    const own = ['date', 'x-request-id', 'server-timing'];
    const fields = [...headers].filter(([name]) => !own.includes(name));
    responses.push(JSON.stringify([status, text, fields]));
    await expectRecovery(setup);
  }
  expect(responses[0]).toBe(responses[1]);
});
