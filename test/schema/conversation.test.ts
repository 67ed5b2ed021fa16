import { expect, it } from 'vitest';
import { postQuery, startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

const lower = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const messages = [
  { text: 'a', isInternal: false },
  { text: 'b', isInternal: true },
  { text: 'c' },
  { text: 'd', isInternal: false },
  { text: 'e', isInternal: true },
];

async function start(context: object) {
  const upstream = await startUpstream((req, res) => {
    const path = req.url ?? '';
    sendJson(res, path.startsWith('/v1/site/') ? bareSite(siteFromPath(path).id) : context);
  });
  return { upstream, gateway: await startGateway(upstream.url) };
}

it.each([
  ['', 'abcde'],
  ['(first: null, last: null, isInternal: null)', 'abcde'],
  ['(first: 2)', 'ab'],
  ['(first: 0)', ''],
  ['(first: 99)', 'abcde'],
  ['(last: 2)', 'de'],
  ['(last: 0)', ''],
  ['(last: 99)', 'abcde'],
  ['(isInternal: true)', 'be'],
  ['(isInternal: false)', 'ad'],
  ['(isInternal: false, last: 1)', 'd'],
  ['(first: 1, isInternal: true)', 'b'],
])('returns messages%s of the complete list', async (args, texts) => {
  const { upstream, gateway } = await start({ messages });
  const { data } = await postQuery(
    gateway.url,
    `{ conversationContext(id: "${lower}") { messages${args} { text } } }`,
  );
  expect(upstream.paths()).toEqual([`/v1/conversation/${lower}/context`]);
  expect(data).toEqual({ conversationContext: { messages: [...texts].map((text) => ({ text })) } });
});

it('requests a conversation once for several slices', async () => {
  const { upstream, gateway } = await start({ messages });
  const { data } = await postQuery(
    gateway.url,
    `{ a: conversationContext(id: "${lower}") { messages(first: 1) { text } }
      b: conversationContext(id: "${lower.toUpperCase()}") { messages(last: 1) { text } } }`,
  );
  expect(upstream.requests).toHaveLength(1);
  expect(data).toEqual({ a: { messages: [{ text: 'a' }] }, b: { messages: [{ text: 'e' }] } });
});

it('returns null for absent messages', async () => {
  const { gateway } = await start({});
  const { data, errors } = await postQuery(
    gateway.url,
    `{ conversationContext(id: "${lower}") { messages(first: 1) { text } } }`,
  );
  expect(data).toEqual({ conversationContext: { messages: null } });
  expect(errors).toBeUndefined();
});

it.each(['(first: 1, last: 1)', '(first: 0, last: 0)', '(first: -1)', '(last: -1)'])(
  'rejects messages%s before any call',
  async (args) => {
    const { upstream, gateway } = await start({ messages });
    const response = await postQuery(
      gateway.url,
      `{ conversationContext(id: "${lower}") { subject messages${args} { text } } }`,
    );
    expect(upstream.requests).toEqual([]);
    expect(response).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(response.data).toBeUndefined();
  },
);

it('sends and returns a UUID in lower case', async () => {
  const { upstream, gateway } = await start({});
  const ids = [lower.toUpperCase(), '5f0c2a9e', lower, '5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00'];
  const response = await postQuery(
    gateway.url,
    'query ($ids: [ID!]!) { conversationContexts(ids: $ids) { id } }',
    {
      variables: { ids },
    },
  );
  expect(upstream.paths()).toEqual([`/v1/conversation/${lower}/context`]);
  expect(response.data?.conversationContexts).toEqual([{ id: lower }, null, { id: lower }, { id: lower }]);
  expect(response.errors).toMatchObject([
    { path: ['conversationContexts', 1], extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

it('loads each distinct site of a conversation once', async () => {
  const { upstream, gateway } = await start({
    sites: [{ id: 'SITE-1' }, { id: 'SITE-2' }, { id: 'SITE-1' }, {}],
  });
  const { data, errors } = await postQuery(
    gateway.url,
    `{ conversationContext(id: "${lower}") { sites { id site { id } } } }`,
  );
  expect(upstream.paths().sort()).toEqual([
    `/v1/conversation/${lower}/context`,
    '/v1/site/SITE-1',
    '/v1/site/SITE-2',
  ]);
  const [one, two] = ['SITE-1', 'SITE-2'].map((id) => ({ id, site: { id } }));
  expect(data).toEqual({ conversationContext: { sites: [one, two, one, { id: null, site: null }] } });
  expect(errors).toBeUndefined();
});

it.each(['OTHER-1', '', 'SITE-x/../y', 'SITE-\n', `SITE-${'x'.repeat(196)}`])(
  'returns UPSTREAM_INVALID_RESPONSE for a conversation site with the id %j, without a call',
  async (id) => {
    const { upstream, gateway } = await start({ sites: [{ id, address: 'kept' }, { id: 'SITE-1' }] });
    const response = await postQuery(
      gateway.url,
      `{ conversationContext(id: "${lower}") { sites { id address site { id } } } }`,
    );
    expect(upstream.paths()).toEqual([`/v1/conversation/${lower}/context`, '/v1/site/SITE-1']);
    expect(response).toMatchObject({
      data: {
        conversationContext: { sites: [{ id, address: 'kept', site: null }, { site: { id: 'SITE-1' } }] },
      },
    });
    expect(response.errors).toMatchObject([
      {
        path: ['conversationContext', 'sites', 0, 'site'],
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
  },
);
