import { ApolloLink, Observable } from '@apollo/client';
import { print } from 'graphql';
import { createSseClient } from './sse-client.ts';

/** Sends the subscriptions of Apollo Client by Server-Sent Events: for networks that hold back multipart responses. */
export function createSseLink(url: string, apiKey: string): ApolloLink {
  return new ApolloLink(
    ({ query, variables }) =>
      new Observable((sink) => {
        let latest: ApolloLink.Result = {};
        return createSseClient(url, apiKey).subscribe(
          { query: print(query), variables },
          {
            next(result) {
              latest = result as ApolloLink.Result;
              sink.next(latest);
            },
            error: (error) => sink.error(error),
            complete: () => sink.complete(),
          },
          // From the second attempt to the next event, beside the latest data.
          {
            connecting: (isAgain) =>
              isAgain && sink.next({ ...latest, errors: [{ message: 'No connection, trying again.' }] }),
          },
        );
      }),
  );
}
