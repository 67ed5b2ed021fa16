import type { IncomingMessage } from 'node:http';
import type { Answer } from './connection.ts';
import { methodRefused, refuse } from './refusal.ts';
import type { Listener } from './server.ts';

const probeMethodRefused = { ...methodRefused, message: 'Use GET or HEAD.', fields: { allow: 'GET, HEAD' } };

/**
 * Answers who looks after this process, and leaves every other request to `next`: `/livez` while it runs, `/readyz`
 * while it is to be sent requests. Neither needs a key or a host, waits for others, or calls the REST API.
 */
export function createProbes(isReady: () => boolean, next: Listener): Listener {
  return (req, res) => {
    if (req.url === '/livez') answer(req, res, true);
    else if (req.url === '/readyz') answer(req, res, isReady());
    else next(req, res);
  };
}

function answer(req: IncomingMessage, res: Answer, isWell: boolean): void {
  const text = isWell ? 'ok\n' : 'draining\n';
  if (req.method === 'GET' || req.method === 'HEAD') {
    const fields = { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length };
    res.writeHead(isWell ? 200 : 503, fields).end(text);
  } else refuse(res, probeMethodRefused);
}
