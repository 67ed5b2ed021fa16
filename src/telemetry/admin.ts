import { createServer } from 'node:http';
import { type Address, openPort } from '../port.ts';

export interface AdminOptions extends Address {
  /** Brings the text of the metrics, and says of what type it is. */
  metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** Hears why the metrics could not be brought. */
  onFault(fault: unknown): void;
}

export interface Admin {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** Opens the port for those who run the gateway: `GET /metrics`. Rejects when it cannot be had. */
export async function startAdmin({ metrics, onFault, ...address }: AdminOptions): Promise<Admin> {
  const server = createServer((req, res) => {
    const said = (status: number, text: string, type = 'text/plain; charset=utf-8') =>
      void res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
    if (req.url?.split('?', 1)[0] !== '/metrics') return said(404, 'The metrics are at /metrics.\n');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD');
      return said(405, 'Use GET.\n');
    }
    metrics.metrics().then(
      (text) => said(200, text, metrics.contentType),
      (fault: unknown) => {
        onFault(fault);
        said(500, 'The metrics cannot be had.\n');
      },
    );
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: await openPort(server, address), close };
}
