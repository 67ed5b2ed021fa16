import { buildConnector, Client } from 'undici';
import type { UpstreamRequest } from './call.ts';

/** One connection to the REST API, for one request at a time. It is opened, and opened again, by undici. */
interface Connection {
  readonly client: Client;
  /** After this time it takes no request. */
  readonly expiresAtMs: number;
  /** The request that makes it busy. */
  request: UpstreamRequest | undefined;
}

/** The connections, as many as requests were sent at a time: the permits of the requests limit them. */
export function createConnections(origin: string, timeoutMs: number, maxAgeMs: number) {
  const connect = buildConnector({ timeout: timeoutMs });
  const all = new Set<Connection>();
  /** Kept open between calls. The one that was used last is used first: the others may become idle. */
  const free: Connection[] = [];

  function open(): Connection {
    const client = new Client(origin, { connect });
    // Those that were opened together do not all expire together.
    const ageMs = maxAgeMs * (1 - Math.random() / 4);
    const connection: Connection = { client, expiresAtMs: performance.now() + ageMs, request: undefined };
    all.add(connection);
    // A request makes its connection busy, until it has its outcome and the socket can take another.
    client.on('drain', () => release(connection));
    return connection;
  }

  function take(): Connection {
    for (let connection = free.pop(); connection; connection = free.pop()) {
      if (performance.now() < connection.expiresAtMs) return connection;
      all.delete(connection);
      void connection.client.close();
    }
    return open();
  }

  function release(connection: Connection): void {
    const { request } = connection;
    if (!request) return;
    connection.request = undefined;
    free.push(connection);
    request.permit?.release();
  }

  const close = () => Promise.all([...all].map(({ client }) => client.destroy()));
  return { take, release, close };
}
