import type { IncomingMessage } from 'node:http';
import { methodNotAllowed, sendError } from './error-response.ts';
import type { GatewayResponse } from './server/gateway-response.ts';
import type { Listener } from './server/server.ts';

const probeMethodNotAllowed = {
  ...methodNotAllowed,
  message: 'Use GET or HEAD.',
  fields: { allow: 'GET, HEAD' },
};

/**
 * Handles probes, and passes every other request to `next`: `/livez` is 200 while the process runs, `/readyz` while it
 * accepts requests. A probe needs no key and no Host field, bypasses admission, and makes no REST call.
 */
export function createProbes(isReady: () => boolean, next: Listener): Listener {
  return (req, res) => {
    if (req.url === '/livez') sendProbe(req, res, true);
    else if (req.url === '/readyz') sendProbe(req, res, isReady());
    else next(req, res);
  };
}

function sendProbe(req: IncomingMessage, res: GatewayResponse, isOk: boolean): void {
  const text = isOk ? 'ok\n' : 'draining\n';
  if (req.method === 'GET' || req.method === 'HEAD') {
    const fields = { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length };
    res.writeHead(isOk ? 200 : 503, fields).end(text);
  } else sendError(res, probeMethodNotAllowed);
}
