import type { ServerResponse } from 'node:http';
import { type Script, sendJson, siteFromPath, startUpstream } from '../upstream.ts';

type Fault = 'unavailable' | 'reset' | 'cut' | 'silent' | 'broken relation' | 'limited';

/** How many calls of a thousand meet each fault: the last two only with relations, or a limited key. */
const perThousand: Record<Fault, number> = {
  unavailable: 25,
  reset: 15,
  cut: 15,
  silent: 2,
  'broken relation': 60,
  limited: 30,
};
const LONGEST_DELAY_MS = 25;
/** Its multiples modulo 1000 are evenly distributed, so that no fault depends on chance. */
const STEP = 618.034;

interface Population {
  /** Whether a key exceeds its rate limit now and then. */
  isLimited: (key: string) => boolean;
  sitesOf: (conversationId: string) => string[];
}

/** An upstream that stamps every field of its responses and fails some calls; `met` counts the faults. */
export async function startStampingUpstream({ isLimited, sitesOf }: Population) {
  const met = new Map<Fault, number>();
  let nonce = 0;

  const script: Script = (req, res) => {
    const key = String(req.headers['x-api-key']);
    const path = req.url ?? '';
    const isSite = path.startsWith('/v1/site/');
    const { id, include } = isSite ? siteFromPath(path) : { id: path.split('/')[3] ?? '', include: [] };
    nonce += 1;
    const text = textOf({ nonce, key, id } satisfies Stamp);
    const response = isSite ? site(id, include, text) : conversation(text, sitesOf(id));
    const fault = faultFor(nonce, include.length > 0, isLimited(key));
    if (fault) met.set(fault, (met.get(fault) ?? 0) + 1);
    setTimeout(() => (fault ? misbehave[fault](res, response) : sendJson(res, response)), delayMs());
  };
  return { ...(await startUpstream(script)), met };
}

function faultFor(nonce: number, hasInclude: boolean, isLimited: boolean): Fault | undefined {
  let drawn = (nonce * STEP) % 1000;
  for (const fault of Object.keys(perThousand) as Fault[]) {
    drawn -= perThousand[fault];
    if (drawn >= 0) continue;
    if (fault === 'broken relation') return hasInclude ? fault : undefined;
    return fault !== 'limited' || isLimited ? fault : undefined;
  }
  return undefined;
}

/** Long enough for calls to coalesce, and sometimes zero. */
function delayMs(): number {
  return Math.max(0, Math.random() * 1.2 - 0.2) * LONGEST_DELAY_MS;
}

const misbehave: Record<Fault, (res: ServerResponse, response: object) => void> = {
  unavailable: (res, response) => sendJson(res, response, 503),
  'broken relation': (res, response) => sendJson(res, response, 500),
  limited: (res, response) => sendJson(res, response, 429, { 'retry-after': '1' }),
  reset: (res) => void res.socket?.resetAndDestroy(),
  cut(res, response) {
    const body = Buffer.from(JSON.stringify(response));
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

function conversation(text: string, siteIds: readonly string[]): object {
  return {
    subject: text,
    labels: [text],
    requester: text,
    messages: [{ author: text, text }],
    participants: { agents: [text], clients: [{ name: text }] },
    sites: siteIds.map((siteId) => ({ id: siteId, address: text })),
  };
}

/** In every field of a response: its number, the key of the request and the resource. */
interface Stamp {
  nonce: number;
  key: string;
  /** The requested site or conversation. */
  id: string;
}

export function textOf({ nonce, key, id }: Stamp): string {
  return `${nonce} ${key} ${id}`;
}

/** Undefined for other texts. Ids may contain blanks, keys do not. */
export function stampFrom(text: string): Stamp | undefined {
  const [, nonce, key = '', id = ''] = /^(\d+) (\S+) (.+)$/s.exec(text) ?? [];
  return nonce === undefined ? undefined : { nonce: Number(nonce), key, id };
}
