import { ApolloLink, Observable } from '@apollo/client';
import { print } from 'graphql';
import { createSseClient } from './sse-client.ts';

/** Sends the subscriptions of Apollo Client by Server-Sent Events: for networks that hold back multipart responses. */
export function createSseLink(url: string, apiKey: string): ApolloLink {
  return new ApolloLink(
    ({ query, variables }) =>
      new Observable((sink) =>
        createSseClient(url, apiKey).subscribe(
          { query: print(query), variables },
          {
            next: (result) => sink.next(result as ApolloLink.Result),
            error: (error) => sink.error(error),
            complete: () => sink.complete(),
          },
        ),
      ),
  );
}
