import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startBoth } from '../support/gateway.ts';
import { streamParts } from '../support/incremental.ts';
import { closed, conversation, type Script, sendJson } from '../support/upstream.ts';
import { expectNoLeak, faultyKey, one, type Posted, post, siteOf } from './test-setup.ts';

const TIMEOUT_MS = 500;
/** Less than the other time limits, which are those of the defaults, and enough for a busy machine. */
const SLACK_MS = 4_000;
/** Enough for the calls that succeed before it. */
const PARTIAL_TIMEOUT_MS = 2_000;

/** Writes every `everyMs` until the connection closes. */
function drip(write: () => void, res: ServerResponse, everyMs: number) {
  const timer = setInterval(write, everyMs);
  res.once('close', () => clearInterval(timer));
}

const endless: [string, Script][] = [
  ['silence', () => {}],
  [
    'one byte every 100 ms for ever',
    (_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      drip(() => res.write(' '), res, 100);
    },
  ],
  ['nothing but interim responses', (_, res) => drip(() => res.writeProcessing(), res, 20)],
];

/** The result of `attempt`, which must not come before `dueMs`, and soon after. */
async function inTime<T extends { elapsedMs: number }>(dueMs: number, attempt: () => Promise<T>): Promise<T> {
  const outcome = await attempt();
  // A timer may be early by a fraction of a millisecond.
  expect(outcome.elapsedMs).toBeGreaterThanOrEqual(dueMs - 1);
  expect(outcome.elapsedMs).toBeLessThan(dueMs + SLACK_MS);
  return outcome;
}

/** The first request of a gateway loads code that later ones find loaded. */
async function warm(url: string): Promise<void> {
  await post(url, '{ __typename }');
}

it.each([
  ...endless.map(([name, script]) => [name, 'UPSTREAM_TIMEOUT_MS', script] as const),
  ['silence', 'OPERATION_TIMEOUT_MS', () => {}] as const,
])('aborts a call with %s at %s, and closes its connection', async (_, setting, script) => {
  const responses: ServerResponse[] = [];
  const { upstream, gateway } = await startBoth({ [setting]: String(TIMEOUT_MS) }, (req, res) => {
    responses.push(res);
    script(req, res);
  });
  await warm(gateway.url);
  const posted = await inTime(TIMEOUT_MS, () => post(gateway.url, one));
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
  await Promise.all(responses.map(closed));
  expectTimeout(posted);
  expectNoLeak(posted, { upstream, gateway });
});

function expectTimeout({ status, response }: Posted): void {
  expect({ status, data: response.data }).toEqual({ status: 200, data: { site: null } });
  expect(response.errors).toMatchObject([{ path: ['site'], extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
}

/** A conversation that loads, with a first site that loads and a second that never does. */
const halfway: Script = (req, res) => {
  if (req.url?.startsWith('/v1/conversation/')) {
    sendJson(res, { subject: 'Roof', sites: [{ id: 'SITE-1' }, { id: 'SITE-2' }] });
  } else if (req.url === '/v1/site/SITE-1') {
    sendJson(res, siteOf(faultyKey, { id: 'SITE-1', include: [] }));
  }
};
const paths = [`/v1/conversation/${conversation}/context`, '/v1/site/SITE-1', '/v1/site/SITE-2'];
const loaded = { id: 'SITE-1', site: { city: 'faulty SITE-1' } };

async function startHalfway() {
  const both = await startBoth({ OPERATION_TIMEOUT_MS: String(PARTIAL_TIMEOUT_MS) }, halfway);
  await warm(both.gateway.url);
  return both;
}

it('ends deferred parts at the deadline of the operation', async () => {
  const { upstream, gateway } = await startHalfway();
  const query = `{ conversationContext(id: "${conversation}") { subject ... @defer { sites { id site { city } } } } }`;
  const { later } = await inTime(PARTIAL_TIMEOUT_MS, async () => {
    upstream.requests.length = 0;
    const startedAt = performance.now();
    const { status, parts } = await streamParts(gateway.url, query, { key: faultyKey });
    expect(status).toBe(200);
    expect((await parts.next()).value).toEqual({
      data: { conversationContext: { subject: 'Roof' } },
      hasNext: true,
    });
    const { value: later } = await parts.next();
    expect((await parts.next()).done).toBe(true);
    return { later, elapsedMs: performance.now() - startedAt };
  });
  expect(upstream.paths().sort()).toEqual(paths);
  expect(later).toMatchObject({
    hasNext: false,
    incremental: [
      {
        path: ['conversationContext'],
        data: { sites: [loaded, { id: 'SITE-2', site: null }] },
        errors: [
          { path: ['conversationContext', 'sites', 1, 'site'], extensions: { code: 'UPSTREAM_TIMEOUT' } },
        ],
      },
    ],
  });
});
