import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { respond } from '../calls/dashboards.ts';

/** Starts a REST API that responds to each key after a latency of its own, and records when it is called. */
export async function startRecordingUpstream(latenciesMs: ReadonlyMap<string, number>) {
  const calls = new Map<string, Map<string, number[]>>();
  const server = createServer({ keepAliveTimeout: 600_000 }, (req, res) => {
    const key = String(req.headers['x-api-key'] ?? '');
    const latencyMs = latenciesMs.get(key);
    if (latencyMs === undefined) return res.writeHead(403).end();
    const path = req.url ?? '';
    record(key, path);
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return setTimeout(() => res.writeHead(200, headers).end(respond(key, path, '')), latencyMs);
  });

  function record(key: string, path: string): void {
    const ofKey = calls.get(key) ?? new Map<string, number[]>();
    calls.set(key, ofKey);
    const times = ofKey.get(path) ?? [];
    ofKey.set(path, times);
    times.push(performance.now());
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** When a key made its calls in this time, in milliseconds of `performance.now()`: a list for each resource. */
    callsBetween: (key: string, fromMs: number, toMs: number) =>
      [...(calls.get(key)?.values() ?? [])].map((times) => times.filter((ms) => ms >= fromMs && ms < toMs)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
