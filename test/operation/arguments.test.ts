import { expect, it } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { conversation } from '../support/upstream.ts';

it.each(['first: 1, last: 1', 'first: 0, last: 0', 'first: -1', 'last: -1'])(
  'fails only the conversation with messages of %s, before its call',
  async (args) => {
    const { upstream, gateway } = await startBoth();
    const query = `query ($on: Boolean!) { site(id: "SITE-1") { id } conversationContext(id: "${conversation}") { ...Some } }
      fragment Some on ConversationContext { subject m: messages(${args}) @include(if: $on) { text } }`;
    expect(await postQuery(gateway.url, query, { variables: { on: true } })).toMatchObject({
      status: 200,
      data: { site: { id: 'SITE-1' }, conversationContext: null },
      errors: [{ path: ['conversationContext'], extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
    await postQuery(gateway.url, query, { variables: { on: false } });
    expect(upstream.paths().slice(1).sort()).toEqual([
      `/v1/conversation/${conversation}/context`,
      '/v1/site/SITE-1',
    ]);
  },
);

it('fails only the field whose argument is a variable that is null', async () => {
  const { upstream, gateway } = await startBoth();
  const query = 'query ($id: ID = "x") { a: site(id: $id) { id } b: site(id: "SITE-1") { id } }';
  const response = await postQuery(gateway.url, query, { variables: { id: null } });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
  expect(response).toMatchObject({
    status: 200,
    data: { a: null, b: { id: 'SITE-1' } },
    errors: [{ path: ['a'], extensions: { code: 'BAD_USER_INPUT' } }],
  });
});
