import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { busyPoll } from '../load/busy-poll.ts';
import type { Certificate } from './certificate.ts';
import { createOverlapCounter } from './overlap-counter.ts';

/** The JSON of a resource; undefined if the key may not read it. */
export type Respond = (key: string, path: string, include: string) => Buffer | undefined;

export type NodeUpstream = Awaited<ReturnType<typeof startNodeUpstream>>;

interface Delayed {
  dueAt: number;
  send(): void;
}

function rateLimitFields(remaining: number) {
  return { ratelimit: `"default";r=${remaining};t=41`, 'ratelimit-policy': '"default";q=100000000;w=60' };
}

/** Starts a REST API in this process, with an adjustable delay. It counts calls, and which of them overlap. */
export async function startNodeUpstream(respond: Respond, certificate?: Certificate) {
  const counter = createOverlapCounter();
  const delayed: Delayed[] = [];
  let delayMs = 0;
  let isLimited = false;

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const include = new URLSearchParams(query).get('include') ?? '';
    const key = String(req.headers['x-api-key'] ?? '');
    const end = counter.begin(`${key} ${path} ${include}`);
    const send = () => {
      end();
      const body = respond(key, path, include);
      const headers = {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'content-length': body?.length ?? 0,
        ...(isLimited && rateLimitFields(counter.counts().calls)),
      };
      res.writeHead(body ? 200 : 403, headers).end(body);
    };
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

  const options = { keepAliveTimeout: 600_000 };
  const server = certificate
    ? createTlsServer(
        {
          ...options,
          cert: readFileSync(certificate.certificateFile),
          key: readFileSync(certificate.keyFile),
        },
        onRequest,
      )
    : createServer(options, onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    counts: counter.counts,
    setDelay(ms: number) {
      delayMs = ms;
    },
    /** Whether each response says what is left of the rate limit of its key. */
    setLimited(value: boolean) {
      isLimited = value;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
