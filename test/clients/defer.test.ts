import { gql } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { sendSite, startUpstream } from '../support/upstream.ts';
import { createApollo, untyped } from './apollo.ts';

/* Other clients that read the parts of a response follow docs/frontend.md, in guide.test.ts. */

const query = gql(
  '{ sites(ids: ["SITE-1", "SITE-2"]) { id ... @defer(label: "rest") { clients { id name } } } }',
);
const clients = [{ id: 'CLIENT-1', name: 'Ada' }];

it.each([
  ['Defer20220824Handler', new Defer20220824Handler(), 'multipart/mixed; boundary="-"'],
  [
    'GraphQL17Alpha9Handler',
    new GraphQL17Alpha9Handler(),
    'multipart/mixed; boundary="-"; incrementalSpec=v0.2',
  ],
])("shows what is deferred later, by Apollo's %s", async (_, incrementalHandler, type) => {
  const upstream = await startUpstream((req, res) => sendSite(req, res, { clients }));
  const gateway = await startGateway(upstream.url);
  const types: (string | null)[] = [];
  const client = createApollo(gateway.url, {
    incrementalHandler,
    async fetch(...args) {
      const response = await fetch(...args);
      types.push(response.headers.get('content-type'));
      return response;
    },
  });
  const states = await new Promise<unknown[]>((resolve) => {
    const seen: unknown[] = [];
    client.watchQuery({ query }).subscribe(({ data, loading, dataState }) => {
      if (dataState === 'empty') return;
      seen.push(untyped(data));
      if (!loading) resolve(seen);
    });
  });
  expect(types).toEqual([type]);
  expect(states.at(0)).toEqual({ sites: [{ id: 'SITE-1' }, { id: 'SITE-2' }] });
  const whole = { sites: ['SITE-1', 'SITE-2'].map((id) => ({ id, clients })) };
  expect(states.at(-1)).toEqual(whole);
  expect(untyped(client.readQuery({ query }))).toEqual(whole);
});
