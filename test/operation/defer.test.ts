import { expect, it } from 'vitest';
import { createGate } from '../support/gate.ts';
import { postQuery, startBoth } from '../support/gateway.ts';
import { eventStream, multipart, postForParts, streamParts } from '../support/incremental.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';

const bare = '/v1/site/SITE-1';

/** An upstream that responds to a call with relations only after `hold` is settled. */
async function start(hold: Promise<void> = Promise.resolve()) {
  return startBoth({}, async (req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    if (include.length > 0) await hold;
    const relations = Object.fromEntries(include.map((relation) => [relation, [{ id: relation }]]));
    sendJson(res, { ...bareSite(id), ...relations });
  });
}

it.each([multipart, eventStream])(
  'sends the first part in %s before the deferred call ends',
  async (accept) => {
    const gate = createGate();
    const { upstream, gateway } = await start(gate.promise);
    const query = '{ site(id: "SITE-1") { id ... @defer(label: "people") { clients { id } } } }';
    const { status, headers, parts } = await streamParts(gateway.url, query, { accept });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain(accept);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await parts.next()).value).toEqual({ data: { site: { id: 'SITE-1' } }, hasNext: true });

    await upstream.received(2);
    expect(upstream.paths()).toEqual([bare, `${bare}?include=clients`]);
    gate.open();
    expect((await parts.next()).value).toEqual({
      incremental: [{ data: { clients: [{ id: 'clients' }] }, path: ['site'], label: 'people' }],
      hasNext: false,
    });
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  },
);

it.each<[string, string, string[], Record<string, unknown>?]>([
  ['a deferred relation', '... @defer { clients { id } }', [bare, `${bare}?include=clients`]],
  [
    'no relation that is read at once too',
    'clients { id } ... @defer { clients { name } }',
    [`${bare}?include=clients`],
  ],
  [
    'what a variable defers',
    '... @defer(if: $on) { clients { id } }',
    [bare, `${bare}?include=clients`],
    { on: true },
  ],
])('defers %s', async (_, selection, calls, variables) => {
  const { upstream, gateway } = await start();
  const head = variables ? 'query ($on: Boolean! = true)' : 'query';
  const query = `${head} { site(id: "SITE-1") { id ${selection} } }`;
  const { status } = await postForParts(gateway.url, query, { variables });
  expect(upstream.paths()).toEqual(calls);
  expect(status).toBe(200);
});

it.each([
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json, application/json;q=0.9',
])('sends one complete response, from one call, to a client that accepts %s', async (accept) => {
  const { upstream, gateway } = await start();
  const response = await postQuery(
    gateway.url,
    `query ($on: Boolean!) {
      site(id: "SITE-1") { id ... @defer(if: $on, label: "a") { clients { id } } ...P @defer }
      sites(ids: ["SITE-1"]) @stream { id }
    }
    fragment P on Site { primaryProject { id } }`,
    { headers: { accept }, variables: { on: true } },
  );
  expect(upstream.paths()).toEqual([`${bare}?include=clients,projects`]);
  expect(response.headers.get('content-type')).toContain('json');
  expect(response).toMatchObject({
    status: 200,
    data: { site: { id: 'SITE-1', clients: [{ id: 'clients' }] }, sites: [{ id: 'SITE-1' }] },
  });
  expect(response).not.toHaveProperty('hasNext');
});

it('responds in the accepted form, whichever form was requested before', async () => {
  const { upstream, gateway } = await start();
  const query = '{ site(id: "SITE-1") { id ... @defer { clients { id } } } }';
  const counts: number[] = [];
  for (const accept of ['application/json', multipart, 'application/json', eventStream]) {
    upstream.requests.length = 0;
    const { parts } = await postForParts(gateway.url, query, { accept });
    counts.push(parts.length, upstream.requests.length);
  }
  expect(counts).toEqual([1, 1, 2, 2, 1, 1, 2, 2]);
});
