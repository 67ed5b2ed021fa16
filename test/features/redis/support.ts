import type { UpstreamCall } from '../../../src/rest/caller.ts';
import { startClient } from '../../support/client.ts';
import { apiKey } from '../../support/gateway.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';

/** Numbers its responses in `city`; SITE-429 is over its limit for a minute, a `missing` one is a 404. */
export async function startSites(retryAfter = '60') {
  const missing = new Set<string>();
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (id === 'SITE-429') sendJson(res, {}, 429, { 'retry-after': retryAfter });
    else if (missing.has(id)) sendJson(res, {}, 404);
    else sendJson(res, { ...bareSite(id), city: `the city ${upstream.requests.length}` });
  });
  return { ...upstream, missing };
}

/** One of the gateways that share a Redis. */
export function startSharing(upstreamUrl: string, redisUrl: string, env: NodeJS.ProcessEnv = {}) {
  const client = startClient(upstreamUrl, { CACHE_URL: redisUrl, retryPercent: 0, ...env });
  /** The source of the site, and the other facts of its call. */
  const get = async (id: string, key = apiKey) => {
    const calls: UpstreamCall[] = [];
    const caller = { ...client.callerOf(key), report: (call: UpstreamCall) => calls.push(call) };
    const outcome = await client.getSite(caller, id, []).catch((error: Error) => error);
    return { outcome, source: calls[0]?.source, retryAfter: calls[0]?.retryAfter };
  };
  return { ...client, get };
}

type Sharing = ReturnType<typeof startSharing>;

let count = 0;

/** Whether `two` finds in Redis what `one` has fetched, both having their data from somewhere. */
export async function isShared(one: Sharing, two: Sharing): Promise<boolean> {
  count += 1;
  const id = `SITE-SHARED-${count}`;
  await one.get(id);
  // Redis executes the commands of a connection in turn: after this reply the response is stored.
  await one.get(`${id}-2`);
  return (await two.get(id)).source === 'cache';
}
