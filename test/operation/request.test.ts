import { expect, it } from 'vitest';
import { apiKey, startGateway } from '../support/gateway.ts';

const headers = { 'x-api-key': apiKey };

const json = 'application/json';
const graphql = 'application/graphql-response+json';

/** The statuses that docs/errors.md lists. */
it.each([
  ['{', graphql, 400],
  ['{ nothing }', graphql, 400],
  ['{ nothing }', 'multipart/mixed', 400],
  ['{ nothing }', json, 200],
  ['{ nothing }', '*/*', 200],
  ['{ nothing }', 'text/event-stream', 200],
  ['query ($id: ID!) { site(id: $id) { id } }', graphql, 400],
  ['query ($id: ID!) { site(id: $id) { id } }', json, 400],
  ['query A { __typename } query B { __typename }', json, 400],
])('responds to %s, accepting %s, with %i', async (query, accept, status) => {
  const gateway = await startGateway('http://127.0.0.1:9');
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { ...headers, accept, 'content-type': json },
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain('"errors"');
});

it('suggests no name of the schema where introspection is off', async () => {
  const gateway = await startGateway('http://127.0.0.1:9', { INTROSPECTION: 'off' });
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': json },
    body: JSON.stringify({
      query: '{ sit(idd: "SITE-1") { id } helth { reachabl } site(id: "1", ix: 1) { idd } }',
    }),
  });
  const text = await response.text();
  expect(text).toContain('GRAPHQL_VALIDATION_FAILED');
  expect(text).not.toContain('Did you mean');
});
