import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { bareSite, siteFromPath, startUpstream } from '../../support/upstream.ts';
import { conversationText, healthText, siteText } from './data.ts';

interface Reply {
  status: number;
  text: string | Buffer;
  fields?: Record<string, string>;
  /** How it fails: inside the body, or before the response. */
  manner?: 'broken-off' | 'dropped';
}

/** The response for a path and a key; `count` is how often that key requested it before. */
export type Replies = (path: string, key: string, count: number) => Reply;

/**
 * A REST API that responds to one call at a time, in the order of their paths, once no more calls arrive: a
 * gateway then handles the responses in the same order each time, and two gateways can be compared.
 */
export async function startPacedUpstream(replies: Replies) {
  const waiting: { path: string; go(): void }[] = [];
  const counts = new Map<string, number>();
  let isServing = false;

  const serve = async () => {
    isServing = true;
    while (waiting.length > 0) {
      await quiet(() => waiting.length);
      waiting
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .shift()
        ?.go();
    }
    isServing = false;
  };

  const upstream = await startUpstream((req, res) => {
    const [path, key] = [req.url ?? '', String(req.headers['x-api-key'])];
    const count = counts.get(`${path} ${key}`) ?? 0;
    counts.set(`${path} ${key}`, count + 1);
    waiting.push({ path, go: () => send(res, replies(path, key, count)) });
    if (!isServing) void serve();
  });
  return {
    ...upstream,
    /** The calls since the last time. */
    takeCalls: () => upstream.requests.splice(0).map(({ path, apiKey }) => `${path} ${apiKey}`),
  };
}

/** After so many turns of the event loop all calls have arrived: the gateway runs in the same process. */
const QUIET_TURNS = 4;

async function quiet(count: () => number): Promise<void> {
  for (let [seen, turns] = [-1, 0]; turns < QUIET_TURNS; turns += 1) {
    if (count() !== seen) [seen, turns] = [count(), 0];
    await immediate();
  }
}

function send(res: ServerResponse, { status, text, fields = {}, manner }: Reply): void {
  if (manner === 'dropped') return void res.destroy();
  res.writeHead(status, { 'content-type': 'application/json', ...fields });
  if (manner === 'broken-off') res.write(text, () => res.destroy());
  else res.end(text);
}

/** The responses of the corpus: health depends on the key, all others on the path. */
export const replies: Replies = (path, key, count) => {
  if (path === '/v1/health') return healthReply(/^mood-(\w+)-/.exec(key)?.[1]);
  if (path.startsWith('/v1/site/')) return siteReply(path, count);
  const id = path.split('/')[3] ?? '';
  const status = /0000e(\d{3})$/.exec(id)?.[1];
  return status === undefined ? found(conversationText(id)) : rejection(Number(status));
};

function healthReply(mood: string | undefined): Reply {
  const status = /^s(\d{3})$/.exec(mood ?? '')?.[1];
  if (mood === 'bytes') return { status: 200, text: Buffer.from('["\xe9"]', 'latin1') };
  return status === undefined ? { status: 200, text: healthText(mood) } : rejection(Number(status));
}

function found(text: string | undefined): Reply {
  return text === undefined ? rejection(404) : { status: 200, text };
}

function rejection(status: number): Reply {
  return { status, text: status === 204 || status === 304 ? '' : '{"message":"No."}' };
}

const hour = { 'retry-after': '3600' };

/** By the id: `SITE-s503` responds with 503, `SITE-c503` if the call includes clients, and so on. */
function siteReply(path: string, count: number): Reply {
  const { id, include } = siteFromPath(path);
  const site: Reply = {
    status: 200,
    text: siteText('SITE-1')?.replaceAll('"SITE-1"', JSON.stringify(id)) ?? '',
  };
  const [, kind, status] = /^SITE-([scpo])(\d{3})\w?$/.exec(id) ?? [];
  if (kind === 's') return rejection(Number(status));
  if (kind === 'c') return include.includes('clients') ? rejection(Number(status)) : site;
  if (kind === 'p') return include.includes('projects') ? rejection(Number(status)) : site;
  // Succeeds the first time only.
  if (kind === 'o') return count === 0 ? site : rejection(Number(status));
  const odd: Record<string, Reply> = {
    'SITE-wait': { ...rejection(429), fields: hour },
    'SITE-busy': { ...rejection(503), fields: { 'retry-after': '7' } },
    'SITE-text': { status: 200, text: 'no JSON' },
    'SITE-empty': { status: 200, text: '' },
    'SITE-list': { status: 200, text: '[{"id":"SITE-list"}]' },
    'SITE-null': { status: 200, text: 'null' },
    'SITE-other': { ...site, text: siteText('SITE-2') ?? '' },
    'SITE-part': { ...site, manner: 'broken-off' },
    'SITE-drop': { ...site, manner: 'dropped' },
    'SITE-bom': found(`\ufeff${JSON.stringify(bareSite('SITE-bom'))}`),
    'SITE-bytes': {
      status: 200,
      text: Buffer.from(JSON.stringify({ ...bareSite('SITE-bytes'), city: 'Å' }), 'latin1'),
    },
    'SITE-html': { status: 404, text: '<html>' },
    'SITE-same': { ...site, fields: { 'cache-control': 'no-store' } },
  };
  return odd[id] ?? found(siteText(id));
}
