import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodiesByRequest, requestKeyOf } from '../fixtures/answers.ts';
import { spin } from '../load/spin.ts';
import { createMeetings } from './meetings.ts';

interface Due {
  at: number;
  send(): void;
}

/** Starts a REST API in this process whose answers take as long as one says, and which notes who asks for what when. */
export async function startSlowUpstream() {
  const bodies = bodiesByRequest();
  const meetings = createMeetings();
  const later: Due[] = [];
  let delayMs = 0;

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const name = nameOf(req);
    const leave = meetings.enter(name);
    const send = () => {
      leave();
      const body = bodies.get(name);
      const head = {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'content-length': body?.length ?? 0,
      };
      res.writeHead(body ? 200 : 403, head).end(body);
    };
    if (delayMs === 0) send();
    else put({ at: performance.now() + delayMs, send });
  }

  function put(due: Due): void {
    later.push(due);
    if (later.length === 1) spin(sendDue);
  }

  /** All wait equally long, so the first in is the first out. */
  function sendDue(): boolean {
    const now = performance.now();
    for (let due = later[0]; due && due.at <= now; due = later[0]) {
      later.shift();
      due.send();
    }
    return later.length > 0;
  }

  const server = createServer({ keepAliveTimeout: 600_000 }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meetings,
    setDelay(ms: number) {
      delayMs = ms;
    },
  };
}

/** What was asked for, the key and the relations included. */
function nameOf(req: IncomingMessage): string {
  const [path = '', query = ''] = (req.url ?? '').split('?');
  const include = new URLSearchParams(query).get('include') ?? '';
  return requestKeyOf(String(req.headers['x-api-key'] ?? ''), path, include);
}
