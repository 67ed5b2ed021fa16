import type { IncomingMessage } from 'node:http';
import { conversations, healthDocument, sites } from '../documents.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../upstream.ts';

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const path = new RegExp(
  `^/v1/(site/SITE-[\\w.!~*'()%-]*(\\?include=(clients|projects|clients,projects))?|conversation/${uuid}/context|health)$`,
);

/**
 * A correct REST API that rejects a few sites and has every other one with a valid id. `violations` lists the requests
 * that no gateway may send.
 */
export async function startStrictUpstream(isSent: (key: string) => boolean) {
  const violations: string[] = [];
  const upstream = await startUpstream((req, res) => {
    // A long run would accumulate too many.
    upstream.requests.length = 0;
    const violation = violationOf(req, isSent);
    if (violation)
      violations.push(`${violation}: ${req.method} ${req.url} ${JSON.stringify(req.rawHeaders)}`);
    const { status, json } = documentAt(req.url ?? '');
    sendJson(res, json, status);
  });
  return { url: upstream.url, violations };
}

function violationOf(req: IncomingMessage, isSent: (key: string) => boolean): string | undefined {
  const { method, url = '', rawHeaders } = req;
  const keys = rawHeaders.filter((_, n) => n % 2 === 1 && rawHeaders[n - 1]?.toLowerCase() === 'x-api-key');
  if (method !== 'GET' || !path.test(url) || /(^|[/\\])(\.|%2e){1,2}([/\\?]|$)/i.test(decoded(url))) {
    return 'not a call of the REST API';
  }
  return keys.length === 1 && isSent(keys[0] ?? '') ? undefined : 'a key that no client sent';
}

/** A path that cannot be decoded counts as a traversal. */
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
  const { id } = siteFromPath(path);
  const json = sites.get(id) ?? { ...bareSite(id), clients: [], projects: [] };
  return { status: refusals.get(id) ?? 200, json };
}
