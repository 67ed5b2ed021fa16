import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { Client, fetchExchange } from 'urql';
import { expect, it, onTestFinished } from 'vitest';
import { apiKey, startBoth } from '../support/gateway.ts';
import { sendSiteOrStatus } from '../support/upstream.ts';
import { untyped } from './untyped.ts';

/* How clients read the status codes of GraphQL over HTTP; test/operation/status.test.ts shows which are sent. */

const query = gql('query Sites($ids: [ID!]!) { sites(ids: $ids) { id } }');

/** The data, and the codes of the errors. */
type Send = (url: string, ids: unknown, fetch: typeof globalThis.fetch) => Promise<[unknown, unknown[]]>;

const codesOf = (errors: readonly { extensions?: { code?: unknown } }[] = []) =>
  errors.map(({ extensions }) => extensions?.code);

const clients: Record<string, Send> = {
  async 'Apollo Client'(url, ids, fetch) {
    const options = { query, variables: { ids }, errorPolicy: 'all' } as const;
    const link = new HttpLink({ uri: url, fetch, headers: { 'x-api-key': apiKey } });
    const client = new ApolloClient({ cache: new InMemoryCache(), link });
    onTestFinished(() => client.stop());
    const { data, error } = await client.query(options);
    return [untyped(data), codesOf(CombinedGraphQLErrors.is(error) ? error.errors : [])];
  },
  async urql(url, ids, fetch) {
    const fetchOptions = { headers: { 'x-api-key': apiKey } };
    const client = new Client({
      url,
      fetch,
      fetchOptions,
      exchanges: [fetchExchange],
      preferGetMethod: false,
    });
    const { data, error } = await client.query(query, { ids });
    return [data ?? null, codesOf(error?.graphQLErrors)];
  },
};

it.each(Object.entries(clients))('%s reads the body of a 294 and of a 422', async (_, send) => {
  const { gateway } = await startBoth({}, sendSiteOrStatus);
  const statuses: number[] = [];
  const recorded: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    statuses.push(response.status);
    return response;
  };
  const partial = await send(gateway.url, ['SITE-1', 'SITE-500'], recorded);
  expect(partial).toEqual([{ sites: [{ id: 'SITE-1' }, null] }, ['UPSTREAM_UNAVAILABLE']]);
  expect(await send(gateway.url, [{}], recorded)).toEqual([null, ['BAD_USER_INPUT']]);
  expect(statuses).toEqual([294, 422]);
});
