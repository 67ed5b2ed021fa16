import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { busyPoll } from '../load/open-loop.ts';

export type NodeUpstream = Awaited<ReturnType<typeof startNodeUpstream>>;

interface Delayed {
  dueAt: number;
  send(): void;
}

/** Starts a REST API in this process that serves the bodies, after an adjustable delay, and counts its calls. */
export async function startNodeUpstream(bodies: ReadonlyMap<string, Buffer>) {
  const delayed: Delayed[] = [];
  let delayMs = 0;
  let calls = 0;

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    calls += 1;
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const include = new URLSearchParams(query).get('include') ?? '';
    const body = bodies.get(`${req.headers['x-api-key']} ${path} ${include}`);
    const headers = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-length': body?.length ?? 0,
    };
    const send = () => res.writeHead(body ? 200 : 403, headers).end(body);
    if (delayMs === 0) send();
    else sendLater(send);
  }

  function sendLater(send: () => void): void {
    delayed.push({ dueAt: performance.now() + delayMs, send });
    if (delayed.length === 1) busyPoll(sendDue);
  }

  /** All delays are equal, so the first request in is the first one due. */
  function sendDue(): boolean {
    const now = performance.now();
    for (let first = delayed[0]; first && first.dueAt <= now; first = delayed[0]) {
      delayed.shift();
      first.send();
    }
    return delayed.length > 0;
  }

  const server = createServer({ keepAliveTimeout: 600_000 }, onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    setDelay(ms: number) {
      delayMs = ms;
    },
  };
}
