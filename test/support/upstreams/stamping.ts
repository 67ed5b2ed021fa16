import type { ServerResponse } from 'node:http';
import { limitedKeys, sitesOf } from '../../endurance/tenants/population.ts';
import { type Stamp, textOf } from '../stamp.ts';
import { type Script, sendJson, siteAsked, startUpstream } from '../upstream.ts';

type Fault = 'unavailable' | 'reset' | 'cut' | 'silent' | 'broken relation' | 'limited';

/** How many calls of a thousand meet each fault; the last two only where there is a relation, or a limited key. */
const perThousand: Record<Fault, number> = {
  unavailable: 25,
  reset: 15,
  cut: 15,
  silent: 2,
  'broken relation': 60,
  limited: 30,
};
const LONGEST_DELAY_MS = 25;
/** Its multiples fall evenly on a circle of a thousand: no fault is left to luck. */
const STEP = 618.034;

/** An upstream that stamps every field of its answers and misbehaves now and then; `met` counts how. */
export async function startStampingUpstream() {
  const met = new Map<Fault, number>();
  let nonce = 0;

  const script: Script = (req, res) => {
    const key = String(req.headers['x-api-key']);
    const path = req.url ?? '';
    const isSite = path.startsWith('/v1/site/');
    const { id, include } = isSite ? siteAsked(path) : { id: path.split('/')[3] ?? '', include: [] };
    nonce += 1;
    const text = textOf({ nonce, key, id } satisfies Stamp);
    const answer = isSite ? site(id, include, text) : conversation(id, text);
    const fault = faultFor(nonce, key, include.length > 0);
    if (fault) met.set(fault, (met.get(fault) ?? 0) + 1);
    setTimeout(() => (fault ? misbehave[fault](res, answer) : sendJson(res, answer)), delayMs());
  };
  return { ...(await startUpstream(script)), met };
}

function faultFor(nonce: number, key: string, hasInclude: boolean): Fault | undefined {
  let drawn = (nonce * STEP) % 1000;
  for (const fault of Object.keys(perThousand) as Fault[]) {
    drawn -= perThousand[fault];
    if (drawn >= 0) continue;
    if (fault === 'broken relation') return hasInclude ? fault : undefined;
    return fault !== 'limited' || limitedKeys.has(key) ? fault : undefined;
  }
  return undefined;
}

/** Long enough for calls to meet each other under way, now and then none at all. */
function delayMs(): number {
  return Math.max(0, Math.random() * 1.2 - 0.2) * LONGEST_DELAY_MS;
}

const misbehave: Record<Fault, (res: ServerResponse, answer: object) => void> = {
  unavailable: (res, answer) => sendJson(res, answer, 503),
  'broken relation': (res, answer) => sendJson(res, answer, 500),
  limited: (res, answer) => sendJson(res, answer, 429, { 'retry-after': '1' }),
  reset: (res) => void res.socket?.resetAndDestroy(),
  cut(res, answer) {
    const body = Buffer.from(JSON.stringify(answer));
    res.writeHead(200, { 'content-length': body.length });
    res.write(body.subarray(0, body.length / 2), () => res.destroy());
  },
  silent() {},
};

function site(id: string, include: readonly string[], text: string): object {
  const address = { address1: text, address2: text, city: text, state: text, zip: text };
  const isPrimary = true;
  return {
    id,
    ...address,
    businessName: text,
    accountManager: { id: text, firstName: text, lastName: text },
    ...(include.includes('clients') && {
      clients: [{ id: text, name: text, isPrimary, emails: [{ id: text, value: text }] }],
    }),
    ...(include.includes('projects') && { projects: [{ id: text, name: text, stage: text, isPrimary }] }),
  };
}

function conversation(id: string, text: string): object {
  return {
    subject: text,
    labels: [text],
    requester: text,
    messages: [{ author: text, text }],
    participants: { agents: [text], clients: [{ name: text }] },
    sites: sitesOf(id).map((siteId) => ({ id: siteId, address: text })),
  };
}
