import { Client } from 'undici';
import type { LoadRequest } from './send.ts';

/** Opens a stream on a connection of its own; resolves with that at the first event. @throws Error if it is rejected */
export async function openStream(url: string, { method, path, key, body }: LoadRequest): Promise<Client> {
  const client = new Client(url, { bodyTimeout: 0 });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key };
  await new Promise<void>((resolve, reject) => {
    client.dispatch(
      { method, path, headers, body: body ?? null },
      {
        onRequestStart() {},
        onResponseStart(_, status) {
          if (status !== 200) reject(new Error(`A stream was rejected with ${status}`));
        },
        onResponseData: () => resolve(),
        onResponseEnd() {},
        onResponseError: (_, error) => reject(error),
      },
    );
  });
  return client;
}
