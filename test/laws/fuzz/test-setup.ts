import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { expect } from 'vitest';
import { conversations, healthDocument, sites } from '../../support/documents.ts';
import { startGatewayProcess } from '../../support/gateway-process.ts';
import { scaled } from '../../support/scale.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../../support/upstream.ts';
import { expectNoLeak, leaksOf, type ReadResponse } from './rules.ts';

const numRuns = scaled(150);
/** How long shrinking may take. */
const interruptAfterTimeLimit = 120_000 + numRuns * 200;

/** The time limit of a run. */
export const timeout = 2 * interruptAfterTimeLimit;

/** The key of a case: nine of its characters identify it in any text, and a URL contains it only encoded. */
export const keys: fc.Arbitrary<string> = fc.noBias(
  fc.noShrink(
    fc
      .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), {
        minLength: 24,
        maxLength: 24,
        size: 'max',
      })
      .map((characters) => `${characters.slice(0, 8).join('')}+/${characters.slice(8).join('')}%=`),
  ),
);

/** Checks random cases against one gateway, which answers a valid request after each. */
export async function expectToHold<Case>(
  cases: fc.Arbitrary<Case>,
  check: (setup: TestSetup, one: Case) => Promise<void>,
): Promise<void> {
  const setup = await startTestSetup();
  const property = fc.asyncProperty(cases, async (one) => {
    await check(setup, one);
    await setup.expectHealthy();
  });
  await fc.assert(property, { numRuns, interruptAfterTimeLimit, markInterruptAsFailure: true });
}

interface TestSetup {
  origin(): string;
  /**
   * Calls `send`, which sends the text `sent` with `key` in it, and checks what must hold for any request.
   */
  check(key: string, sent: string, send: () => Promise<ReadResponse[]>): Promise<void>;
  /** Sends a valid request, and expects the usual response. */
  expectHealthy(): Promise<void>;
}

const KEPT_REQUESTS = 64;

const healthyKey = 'healthy-0123456789-abcdef';
const healthyDocument = '{ site(id: "SITE-1") { id city clients { name } } }';
const healthyResponse = {
  data: {
    site: {
      id: 'SITE-1',
      city: 'Åre',
      clients: [{ name: 'Client SITE-1-c1' }, { name: 'Client SITE-1-c2' }],
    },
  },
};

/**
 * A gateway process in front of a correct upstream; when the process has exited, the next check starts
 * another.
 */
async function startTestSetup(): Promise<TestSetup> {
  const known = new Set([healthyKey]);
  const recent: string[] = [];
  // A request that is altered inside its key has another key, and may be in progress after its connection has
  // closed.
  const isSent = (key: string) => known.has(key) || recent.some((sent) => sent.includes(key));
  const upstream = await startStrictUpstream(isSent);
  let written = '';
  const notes: string[] = [];
  const start = () =>
    startGatewayProcess(upstream.url, {
      env: { GRAPHIQL: 'on', FEDERATION: 'on' },
      onLine(line) {
        if (/^\{"level":"(info|warn)"/.test(line)) notes.push(line);
        else written += `${line}\n`;
      },
    });
  let gateway = await start();

  const marks = async () => ({
    stalls: await gateway.read('stalls'),
    written,
    violations: [...upstream.violations],
  });

  const setup: TestSetup = {
    origin: () => gateway.origin,
    async check(key, sent, send) {
      if (gateway.hasExited()) {
        gateway = await start();
        await setup.expectHealthy();
      }
      known.add(key);
      recent.push(sent);
      if (recent.length > KEPT_REQUESTS) recent.shift();
      const before = await marks();
      const responses = await send();
      const after = await marks();
      const stalls = after.stalls.slice(before.stalls.length);
      expect(leaksOf(key, after.written.slice(before.written.length) + notes.splice(0).join('\n'))).toEqual(
        [],
      );
      expect(after.written, 'output of the gateway').toBe(before.written);
      expect(after.violations, 'requests to the upstream').toEqual(before.violations);
      for (const response of responses) expectNoLeak(response, key, upstream.url);
      expect(stalls, 'how long the event loop was blocked, in milliseconds').toEqual([]);
    },
    async expectHealthy() {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': healthyKey },
        body: JSON.stringify({ query: healthyDocument }),
      });
      expect({ status: response.status, ...((await response.json()) as object) }).toEqual({
        status: 200,
        ...healthyResponse,
      });
    },
  };
  await setup.expectHealthy();
  return setup;
}

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const path = new RegExp(
  `^/v1/(site/SITE-[\\w.!~*'()%-]*(\\?include=(clients|projects|clients,projects))?|conversation/${uuid}/context|health)$`,
);

/**
 * A correct REST API that rejects a few sites and has every other one with a valid id. `violations` lists the
 * requests that no gateway may send.
 */
async function startStrictUpstream(isSent: (key: string) => boolean) {
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

const rejections = new Map([
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
  return { status: rejections.get(id) ?? 200, json };
}
