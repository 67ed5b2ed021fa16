import type { IncomingMessage } from 'node:http';
import { conversations, healthDocument, sites } from '../documents.ts';
import { bareSite, sendJson, siteAsked, startUpstream } from '../upstream.ts';

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const path = new RegExp(
  `^/v1/(site/SITE-[\\w.!~*'()%-]*(\\?include=(clients|projects|clients,projects))?|conversation/${uuid}/context|health)$`,
);

/**
 * The REST API, well behaved: it refuses a few sites, and knows any other that has a legal id. What it is asked and
 * should never be, stands in `trespasses`.
 */
export async function startWatchfulUpstream(isSent: (key: string) => boolean) {
  const trespasses: string[] = [];
  const upstream = await startUpstream((req, res) => {
    // It is asked for more than anybody wants to keep.
    upstream.asked.length = 0;
    const flaw = flawOf(req, isSent);
    if (flaw) trespasses.push(`${flaw}: ${req.method} ${req.url} ${JSON.stringify(req.rawHeaders)}`);
    const { status, json } = documentAt(req.url ?? '');
    sendJson(res, json, status);
  });
  return { url: upstream.url, trespasses };
}

function flawOf(req: IncomingMessage, isSent: (key: string) => boolean): string | undefined {
  const { method, url = '', rawHeaders } = req;
  const keys = rawHeaders.filter((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === 'x-api-key');
  if (method !== 'GET' || !path.test(url) || /(^|[/\\])(\.|%2e){1,2}([/\\?]|$)/i.test(decoded(url))) {
    return 'no call of the REST API';
  }
  return keys.length === 1 && isSent(keys[0] ?? '') ? undefined : 'a key that nobody sent';
}

/** Where it cannot be decoded it is no path either. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return '/../';
  }
}

const refusals = new Map([
  ['SITE-403', 403],
  ['SITE-404', 404],
  ['SITE-429', 429],
]);

function documentAt(path: string): { status: number; json: unknown } {
  if (path === '/v1/health') return { status: 200, json: healthDocument };
  if (!path.startsWith('/v1/site/')) {
    const json = conversations.get(path.split('/')[3] ?? '');
    return { status: json ? 200 : 404, json: json ?? {} };
  }
  const { id } = siteAsked(path);
  const json = sites.get(id) ?? { ...bareSite(id), clients: [], projects: [] };
  return { status: refusals.get(id) ?? 200, json };
}
