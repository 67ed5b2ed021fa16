import { createServer, type ServerResponse } from 'node:http';
import { type Address, openPort } from '../port.ts';

/** A word for the answer to a probe: `ok` is sent with 200, any other with 503. */
type Probe = () => string | Promise<string>;

export interface AdminOptions extends Address {
  /** Brings the text of the metrics, and says of what type it is. */
  metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** `live`: whether the process works. `ready`: whether it is to get requests. */
  probes: { live: Probe; ready: Probe };
  /** Hears why the metrics could not be brought. */
  onFault(fault: unknown): void;
}

export interface Admin {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/**
 * Opens the port for those who run the gateway: `GET` of `/metrics`, `/livez` and `/readyz`. Its connections are not
 * counted with those of clients, so that clients cannot take the place of a probe. Rejects when it cannot be had.
 */
export async function startAdmin({ metrics, probes, onFault, ...address }: AdminOptions): Promise<Admin> {
  const routes = new Map<string, (res: ServerResponse) => Promise<void>>([
    ['/metrics', async (res) => send(res, 200, await metrics.metrics(), metrics.contentType)],
    ['/livez', (res) => sendProbe(res, probes.live)],
    ['/readyz', (res) => sendProbe(res, probes.ready)],
  ]);
  const server = createServer((req, res) => {
    const answer = routes.get(req.url?.split('?', 1)[0] ?? '');
    if (!answer) return send(res, 404, `The paths are ${[...routes.keys()].join(', ')}.\n`);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD');
      return send(res, 405, 'Use GET.\n');
    }
    answer(res).catch((fault: unknown) => {
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
