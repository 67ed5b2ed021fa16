import { expect, it } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';
import { multipart, postForParts } from '../support/incremental.ts';
import { startProcess } from '../support/process.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';

it('rejects first with last from variables, also in fragments, but not in an operation that is not executed', async () => {
  const { upstream, gateway } = await startBoth();
  const query = `
    query Wrong($n: Int) { conversationContext(id: "${conversation}") { ...Both } }
    query Right { site(id: "SITE-1") { id } }
    fragment Both on ConversationContext { messages(first: $n, last: 1) { text } }`;
  const body = (operationName: string, n: number | null) =>
    JSON.stringify({ query, operationName, variables: { n } });
  const send = async (operationName: string, n: number | null) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': 'a-key-of-some-length' };
    const response = await fetch(gateway.url, { method: 'POST', headers, body: body(operationName, n) });
    return { status: response.status, ...((await response.json()) as object) };
  };
  expect(await send('Wrong', 1)).toMatchObject({
    status: 400,
    errors: [{ message: 'Give "first" or "last", not both.', extensions: { code: 'BAD_USER_INPUT' } }],
  });
  expect(upstream.requests).toEqual([]);
  expect(await send('Right', 1)).toMatchObject({ status: 200, data: { site: { id: 'SITE-1' } } });
  expect(await send('Wrong', null)).toMatchObject({ status: 200 });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', `/v1/conversation/${conversation}/context`]);
});

const site = 'sites(ids: ["SITE-1", "OTHER-1"])';
const messages = (args: string) =>
  `{ conversationContext(id: "${conversation}") { subject messages(${args}) { text } } }`;

it.each<[string, object]>([
  [`{ ${site} @stream(initialCount: -1) { id } }`, {}],
  [`query ($n: Int! = 0) { ${site} @stream(initialCount: $n) { id } }`, { n: -1 }],
  [`query ($n: Int = 0) { ${site} @stream(initialCount: $n) { id } }`, { n: null }],
  [`query ($on: Boolean = true) { ${site} @stream(if: $on) { id } }`, { on: null }],
  ...['first: 1, last: 1', 'first: 0, last: 0', 'first: -1', 'last: -1'].map((args): [string, object] => [
    messages(args),
    {},
  ]),
])('rejects %s with %j before any call', async (query, variables) => {
  const { upstream, gateway } = await startBoth();
  const { status, parts } = await postForParts(gateway.url, query, {
    accept: multipart,
    variables: { ...variables },
  });
  expect(upstream.requests).toEqual([]);
  expect(status).toBe(400);
  expect(parts).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }]);
});

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

it('serves further requests after lists that the executor abandons', async () => {
  const main = await startProcess('main.ts', { PORT: '0' });
  const [, url = ''] = await main.printed(/ready at (\S+)\n/);
  const [, key = ''] = await main.printed(/demo key: (\S+)\n/);
  for (const query of [
    '{ sites(ids: ["SITE-1001", "OTHER"]) @stream(initialCount: -1) { id } }',
    'query ($on: Boolean = true) { sites(ids: ["OTHER"]) @stream(if: $on) { id } }',
    'query ($on: Boolean = true) { sites(ids: ["OTHER"]) { id @include(if: $on) } health { reachable } }',
  ]) {
    await postForParts(url, query, { accept: multipart, key, variables: { on: null } });
  }
  const response = await postQuery(url, '{ site(id: "SITE-1001") { id } }', { key });
  expect(response.data).toEqual({ site: { id: 'SITE-1001' } });
});
