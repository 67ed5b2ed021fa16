import { Client } from 'undici';
import { type LoadRequest, send, type Traffic } from './send.ts';

/** How much load a run is: a number of requests, or all that fit into a time. */
export type Extent = { requests: number } | { seconds: number };

export interface ClosedLoopResult {
  requests: number;
  seconds: number;
  /** Share of a core that the process of the load generator used; near 1 it was the bottleneck. */
  loadShare: number;
}

/**
 * A closed loop: each connection sends its next request when it has the response to the last one. The connections stay open
 * between runs.
 */
export function createClosedLoop<R extends LoadRequest>(
  url: string,
  connections: number,
  { next, onResponse }: Traffic<R>,
) {
  const clients = Array.from({ length: connections }, () => new Client(url));

  return {
    /** Ends when every response has arrived. Rejects at the first failure or wrong response. */
    async run(extent: Extent): Promise<ClosedLoopResult> {
      const cpu = process.cpuUsage();
      const startedAt = performance.now();
      let sent = 0;
      const isOver =
        'requests' in extent
          ? () => sent >= extent.requests
          : () => performance.now() - startedAt >= extent.seconds * 1000;

      const runOne = (client: Client): Promise<void> =>
        new Promise((resolve, reject) => {
          const sendNext = () => {
            if (isOver()) return resolve();
            sent += 1;
            const request = next();
            const sentAt = performance.now();
            send(client, request, (error, response) => {
              try {
                if (error) throw error;
                onResponse(request, response, performance.now() - sentAt, true);
              } catch (failure) {
                return reject(failure);
              }
              sendNext();
            });
          };
          sendNext();
        });

      await Promise.all(clients.map(runOne));
      const seconds = (performance.now() - startedAt) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      return { requests: sent, seconds, loadShare: (user + system) / 1_000_000 / seconds };
    },
    async close(): Promise<void> {
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}
