import type { ServerResponse } from 'node:http';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../upstream.ts';

const LONGEST_DELAY_MS = 6;

/** An upstream that fails some requests and records none, so that it runs for hours; `retryAfter`: of a 429. */
export async function startFlakyUpstream({ retryAfter }: { retryAfter?: string } = {}) {
  let requests = 0;
  let cancelled = 0;
  const upstream = await startUpstream((req, res) => {
    upstream.requests.length = 0;
    requests += 1;
    res.once('close', () => {
      if (!res.writableEnded) cancelled += 1;
    });
    const delayMs = (requests % 10) * (LONGEST_DELAY_MS / 10);
    setTimeout(respond, delayMs, req.url ?? '', String(req.headers['x-api-key']), res, retryAfter);
  });
  return { url: upstream.url, cancelledCount: () => cancelled };
}

/** The failures by site number modulo 49; all other sites succeed. */
const CYCLE = 49;
type Fault = (res: ServerResponse, include: readonly string[], key: string, retryAfter?: string) => boolean;
const faults: Record<number, Fault> = {
  7: (res) => rejected(res, 503),
  11: (res, include) => include.length > 0 && rejected(res, 500),
  19: (res) => rejected(res, 404),
  23: (res) => rejected(res, 403),
  // Only of a few keys: the gateway remembers rate-limited keys up to a bound that is not small.
  31: (res, _, key, retryAfter) =>
    key.startsWith('key-of-few') && rejected(res, 429, retryAfter ? { 'retry-after': retryAfter } : {}),
  37: (res) => {
    res.writeHead(200, { 'content-length': 100 });
    return res.write('{"id":', () => res.destroy());
  },
};

function respond(path: string, key: string, res: ServerResponse, retryAfter?: string): void {
  if (res.destroyed) return;
  if (!path.startsWith('/v1/site/')) {
    const n = Number.parseInt(path.split('/')[3]?.slice(-12) ?? '', 16);
    return void sendJson(res, {
      subject: path,
      sites: [0, 1].map((m) => ({ id: `SITE-${n + m}`, address: path })),
    });
  }
  const { id, include } = siteFromPath(path);
  const fault = faults[Number(id.slice('SITE-'.length)) % CYCLE];
  if (fault?.(res, include, key, retryAfter)) return;
  const named = Object.fromEntries(include.map((relation) => [relation, [{ id: path, name: path }]]));
  sendJson(res, { ...bareSite(id), city: path, ...named });
}

function rejected(res: ServerResponse, status: number, headers: Record<string, string> = {}): true {
  sendJson(res, {}, status, headers);
  return true;
}
