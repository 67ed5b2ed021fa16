import { createServer, type ServerResponse } from 'node:http';
import { type Address, openPort } from '../port.ts';

/** Returns the body of a probe's response: `ok` is sent with 200, any other word with 503. */
type Probe = () => string | Promise<string>;

export interface AdminOptions extends Address {
  /** The metrics as text, and its media type. */
  metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** `live`: whether the process works. `ready`: whether it accepts requests. */
  probes: { live: Probe; ready: Probe };
  /** Called with the error where the metrics cannot be read. */
  onFault(fault: unknown): void;
}

export interface Admin {
  /** `http://host:port`, without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

/**
 * Opens the admin port: `GET` of `/metrics`, `/livez` and `/readyz`. MAX_CONNECTIONS does not count its connections, so that
 * clients cannot keep a probe from connecting. Rejects when the port is not available.
 */
export async function startAdmin({ metrics, probes, onFault, ...address }: AdminOptions): Promise<Admin> {
  const routes = new Map<string, (res: ServerResponse) => Promise<void>>([
    ['/metrics', async (res) => send(res, 200, await metrics.metrics(), metrics.contentType)],
    ['/livez', (res) => sendProbe(res, probes.live)],
    ['/readyz', (res) => sendProbe(res, probes.ready)],
  ]);
  const server = createServer((req, res) => {
    const route = routes.get(req.url?.split('?', 1)[0] ?? '');
    if (!route) return send(res, 404, `The paths are ${[...routes.keys()].join(', ')}.\n`);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD');
      return send(res, 405, 'Use GET.\n');
    }
    route(res).catch((fault: unknown) => {
      onFault(fault);
      send(res, 500, 'The metrics are not available.\n');
    });
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: await openPort(server, address), close };
}

function send(res: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

async function sendProbe(res: ServerResponse, probe: Probe): Promise<void> {
  const word = await probe();
  send(res, word === 'ok' ? 200 : 503, `${word}\n`);
}
