import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { settings } from './settings.ts';

const pool = new Pool(settings.upstreamUrl, { connections: settings.connections });

createServer(forward).listen(settings.port, settings.host);

/** Forwards the response unchanged. */
function forward(req: IncomingMessage, res: ServerResponse): void {
  const key = String(req.headers['x-api-key'] ?? '');
  pool.dispatch(
    { method: 'GET', path: req.url ?? '/', headers: { 'x-api-key': key } },
    {
      onRequestStart() {},
      onResponseStart(_, status, headers) {
        const length = headers['content-length'];
        res.writeHead(status, {
          'content-type': String(headers['content-type']),
          ...(length !== undefined && { 'content-length': String(length) }),
        });
      },
      onResponseData(_, chunk) {
        res.write(chunk);
      },
      onResponseEnd() {
        res.end();
      },
      onResponseError() {
        if (res.headersSent) res.destroy();
        else res.writeHead(502).end();
      },
    },
  );
}
