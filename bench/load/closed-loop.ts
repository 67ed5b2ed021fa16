import { Client } from 'undici';
import { send, type Traffic } from './send.ts';

/** How much load a run is: a number of requests, or all that fit into a time. */
export type Extent = { requests: number } | { seconds: number };

/**
 * A closed loop: each connection sends its next request when it has the response to the last one. The connections stay open
 * between runs.
 */
export function createClosedLoop(url: string, connections: number, { next, validate }: Traffic) {
  const clients = Array.from({ length: connections }, () => new Client(url));

  return {
    /** Ends when every response has arrived. Rejects at the first failure or wrong response. */
    async run(extent: Extent): Promise<{ requests: number; seconds: number }> {
      const startedAt = performance.now();
      let sent = 0;
      const isOver =
        'requests' in extent
          ? () => sent >= extent.requests
          : () => performance.now() - startedAt >= extent.seconds * 1000;

      const runOne = (client: Client, connection: number): Promise<void> =>
        new Promise((resolve, reject) => {
          const sendNext = () => {
            if (isOver()) return resolve();
            sent += 1;
            const operation = next(connection);
            send(client, operation, (error, response) => {
              try {
                if (error) throw error;
                validate(operation, response);
              } catch (failure) {
                return reject(failure);
              }
              sendNext();
            });
          };
          sendNext();
        });

      await Promise.all(clients.map(runOne));
      return { requests: sent, seconds: (performance.now() - startedAt) / 1000 };
    },
    async close(): Promise<void> {
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}
