import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { RetryLink } from '@apollo/client/link/retry';

const query = gql`subscription ($id: ID!) {
  live(every: 10) { site(id: $id) { id city serviceLevel } }
}`;

/** Calls `onData` with the site now, and again whenever it changes. Returns what ends that. */
export function watchSite(url: string, apiKey: string, id: string, onData: (data: unknown) => void) {
  const http = new HttpLink({ uri: url, headers: { 'x-api-key': apiKey } });
  // Connects again after a lost connection, after a second at first and half a minute at most. Other rejections
  // than 429 and 5xx are final.
  const retry = new RetryLink({
    delay: { initial: 1000, max: 30_000 },
    attempts: {
      max: 1000,
      retryIf: (error) => !ServerError.is(error) || error.statusCode === 429 || error.statusCode >= 500,
    },
  });
  const client = new ApolloClient({
    link: ApolloLink.from([retry, http]),
    cache: new InMemoryCache(),
    // A project that declares defaults for queries requires them of each client; this one sends subscriptions only.
    defaultOptions: {} as NonNullable<ApolloClient.Options['defaultOptions']>,
  });
  const subscription = client
    // Without `all`, one field that fails drops all data of its event. `defaultOptions` has no subscriptions.
    .subscribe({ query, variables: { id }, errorPolicy: 'all' })
    .subscribe(({ data, error }) => {
      if (error) console.error(error);
      if (data) onData(data);
    });
  return () => {
    subscription.unsubscribe();
    client.stop();
  };
}
