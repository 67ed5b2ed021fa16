import { gql, type TypedDocumentNode } from '@apollo/client';
import { useSubscription } from '@apollo/client/react';

interface Sites {
  live: { sites: readonly ({ id: string; city: string | null } | null)[] };
}

const query: TypedDocumentNode<Sites, { ids: string[] }> = gql`subscription ($ids: [ID!]!) {
  live(every: 10) { sites(ids: $ids) { id city } }
}`;

/** The sites now, and after each change: in `data`, beside the `error` of those that fail. */
export function useLiveSites(ids: string[]) {
  return useSubscription(query, { variables: { ids }, errorPolicy: 'all' });
}
