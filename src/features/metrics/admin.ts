import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { openPort } from '../../http/port.ts';

interface AdminOptions {
  host: string;
  port: number;
  registry: Registry;
  /** The body of `/readyz`: `ok` is sent with 200, any other word with 503. */
  ready(): string;
  /** Called with the error if the metrics cannot be read. */
  onFault(fault: unknown): void;
}

/**
 * Opens the admin port: `/metrics`, `/livez` and `/readyz`. MAX_CONNECTIONS does not count its
 * connections, so that clients cannot keep a probe from connecting. Rejects when the port is not available.
 */
export async function startAdmin({ registry, ready, onFault, ...address }: AdminOptions) {
  const routes: Readonly<Record<string, (res: ServerResponse) => void | Promise<void>>> = {
    '/metrics': async (res) => send(res, 200, await registry.metrics(), registry.contentType),
    '/livez': (res) => send(res, 200, 'ok\n'),
    '/readyz': (res) => send(res, ready() === 'ok' ? 200 : 503, `${ready()}\n`),
  };
  const server = createServer((req, res) => {
    const route = routes[req.url?.split('?', 1)[0] ?? ''];
    if (!route) return send(res, 404, `The paths are ${Object.keys(routes).join(', ')}.\n`);
    route(res)?.catch((fault: unknown) => {
      onFault(fault);
      send(res, 500, 'The metrics are not available.\n');
    });
  });
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: await openPort(server, address), close };
}

function send(res: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}
