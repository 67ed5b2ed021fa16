import { gql } from '@apollo/client';
import { GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';
import { createApollo, untyped } from './apollo.ts';

/* The clients that read the parts of a response follow docs/frontend.md, in guide.test.ts. */

const site = { id: 'SITE-1', city: 'Bend', clients: [{ id: 'CLIENT-1', name: 'Ada' }] };

it("sends one complete response to Apollo's handler for incrementalSpec=v0.2", async () => {
  const upstream = await startUpstream((_, res) => sendJson(res, { ...bareSite('SITE-1'), ...site }));
  const gateway = await startGateway(upstream.url);
  const client = createApollo(gateway.url, { incrementalHandler: new GraphQL17Alpha9Handler() });
  const query = gql('{ site(id: "SITE-1") { id city ... @defer { clients { id name } } } }');
  const { data, error } = await client.query({ query, errorPolicy: 'all' });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1?include=clients']);
  expect(error).toBeUndefined();
  expect(untyped(data)).toEqual({ site });
  // A client that cannot read a response stores nothing.
  expect(untyped(client.readQuery({ query }))).toEqual({ site });
});
