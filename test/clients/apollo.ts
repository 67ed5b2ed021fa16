import { ApolloClient, type ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { onTestFinished } from 'vitest';
import { apiKey } from '../support/gateway.ts';

type Handler = NonNullable<ApolloClient.Options['incrementalHandler']>;

interface ApolloOptions {
  /** Absent: the default handler of Apollo Client, which does not support incremental delivery. */
  incrementalHandler?: object;
  /** Comes before the link that sends; absent: requests are sent as they are. */
  link?: ApolloLink;
  /** Absent: the global one. */
  fetch?: typeof fetch;
}

/** An Apollo Client for the gateway at `url`, with the key of the tests, stopped when the test is. */
export function createApollo(
  url: string,
  { incrementalHandler, link, fetch: send = fetch }: ApolloOptions = {},
) {
  const http = new HttpLink({ uri: url, fetch: send, headers: { 'x-api-key': apiKey } });
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: link ? link.concat(http) : http,
    // Apollo's own types do not agree with each other under `exactOptionalPropertyTypes`.
    ...(incrementalHandler && { incrementalHandler: incrementalHandler as unknown as Handler }),
  });
  onTestFinished(() => client.stop());
  return client;
}

/** A result without the type names that clients select in addition. */
export function untyped(data: unknown): unknown {
  const text = JSON.stringify(data ?? null, (name, value) => (name === '__typename' ? undefined : value));
  return JSON.parse(text);
}
