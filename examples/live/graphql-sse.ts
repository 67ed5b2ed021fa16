import { createSseClient } from './sse-client.ts';

const query = `subscription ($id: ID!) {
  live(every: 10) { site(id: $id) { id city serviceLevel } }
}`;

/** Calls `onData` with the site now, and again whenever it changes. Returns what ends that. */
export function watchSite(url: string, apiKey: string, id: string, onData: (data: unknown) => void) {
  return createSseClient(url, apiKey).subscribe(
    { query, variables: { id } },
    { next: ({ data }) => onData(data), error: console.error, complete: () => {} },
  );
}
