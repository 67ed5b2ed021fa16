import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { homedir, hostname, tmpdir } from 'node:os';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inside } from '../../faults/test-setup.ts';
import { leaksOf } from '../../support/canary.ts';
import { postOperation } from '../../support/gateway.ts';
import { startGatewayProcess } from '../../support/gateway-process.ts';
import { incrementalFormats } from '../../support/incremental.ts';
import { type RawResponse, responsesFrom } from '../../support/raw-responses.ts';
import { scaled } from '../../support/scale.ts';
import { sendJson, siteFromPath } from '../../support/upstream.ts';
import { startDocuments } from '../../support/upstreams/documents.ts';
import { bodyCases } from '../differential/bodies.ts';
import { openConnection } from '../differential/connection.ts';
import { acceptCases, headCases } from '../differential/heads.ts';
import { corpusKey, get, post } from '../differential/requests.ts';
import { bombs } from './bombs.ts';
import { documents, ways } from './document.ts';
import { placeIn, places } from './tokens.ts';

const numRuns = scaled(30);
/** How long shrinking may take. */
const interruptAfterTimeLimit = 120_000 + numRuns * 200;
const timeout = 2 * interruptAfterTimeLimit;

/** For the response to a rejected document. */
const MAX_REJECTION_BYTES = 16_384;
const MAX_ERRORS = 10;
const LONGEST_SILENCE_MS = 50;
const KEPT_REQUESTS = 64;

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The key of a case: nine of its characters identify it in any text, and a URL contains it only encoded. */
const keys = fc.noBias(
  fc.noShrink(
    fc
      .array(fc.constantFrom(...letters), { minLength: 24, maxLength: 24, size: 'max' })
      .map((drawn) => `${drawn.slice(0, 8).join('')}+/${drawn.slice(8).join('')}%=`),
  ),
);

/** A request with `key`; without a number of responses it may be incomplete. */
interface Sent {
  key: string;
  wire: string;
  responses: number | undefined;
}

const ofDocuments: fc.Arbitrary<Sent> = fc.tuple(keys, documents, ways).map(([key, asked, way]) => {
  const { method, accept, explain = null, operationName, extensions } = way;
  const params = Object.entries({ ...asked, operationName, extensions });
  const known = Object.fromEntries(params.filter(([, value]) => value !== undefined));
  const change = { fields: { 'X-Api-Key': key, Accept: accept, 'x-explain': explain } };
  const { wire } = method === 'GET' ? get(known, change) : post(known, change);
  return { key, wire, responses: 1 };
});

const bytes = fc.constantFrom('', '\0', '\r', '\n', '\r\n', ' ', '\t', ':', '\x7f', '\xff', '{', 'a');

/** Changes, removes or cuts off bytes anywhere. */
const edits: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.tuple(places, fc.nat(2), bytes).map(([place, over, byte]) => (text: string) => {
    const at = placeIn(text.length, place);
    return text.slice(0, at) + byte + text.slice(at + over);
  }),
  places.map((place) => (text: string) => text.slice(0, placeIn(text.length, place))),
  fc.constant((text: string) => `${text}\r\n`),
);

const ofBytes: fc.Arbitrary<Sent> = fc
  .tuple(
    keys,
    fc.constantFrom(...headCases, ...bodyCases, ...acceptCases),
    fc.option(edits, { nil: undefined }),
  )
  .map(([key, { wire, responses }, edit]) => {
    const whole = wire.replaceAll(corpusKey, key);
    return { key, wire: edit?.(whole) ?? whole, responses: edit ? undefined : responses };
  });

it.each([
  ['document', ofDocuments],
  ['bytes on a connection', ofBytes],
])('responds to any %s quickly and briefly, without leaking a key', { timeout }, async (_, cases) => {
  const { check, expectHealthy } = await start();
  const property = fc.asyncProperty(cases, async (one) => {
    await check(one);
    await expectHealthy();
  });
  await fc.assert(property, { numRuns, interruptAfterTimeLimit, markInterruptAsFailure: true });
});

it('responds likewise to every kind of large document', { timeout }, async () => {
  const { check, expectHealthy } = await start();
  const key = 'large-0123456789-abcdef%=';
  for (const [n, bomb] of bombs.entries()) {
    for (const count of [300, 6000]) {
      const fields = { 'X-Api-Key': key, Accept: formats[(n + count) % formats.length] ?? null };
      await check({ key, wire: post({ query: bomb(count) }, { fields }).wire, responses: 1 });
    }
  }
  await expectHealthy();
});

const formats = ['application/json', 'application/graphql-response+json', ...incrementalFormats];

const healthy = {
  key: 'healthy-0123456789-abcdef',
  query: '{ site(id: "SITE-1") { id city clients { name } } }',
  response:
    '{"data":{"site":{"id":"SITE-1","city":"Åre","clients":[{"name":"name of SITE-1-c1"},{"name":"name of SITE-1-c2"}]}}}',
};

/** A gateway process in front of a correct upstream; when the process has exited, the next check starts another. */
async function start() {
  const known = new Set([healthy.key]);
  const recent: string[] = [];
  // A request that is altered inside its key has another key, and may be in progress after its connection has
  // closed.
  const isSent = (key: string) => known.has(key) || recent.some((sent) => sent.includes(key));
  const upstream = await startStrictUpstream(isSent);
  let written = '';
  let notes = '';
  const startOne = () =>
    startGatewayProcess(upstream.url, {
      env: { GRAPHIQL: 'on', FEDERATION: 'on' },
      onLine(line) {
        if (/^\{"level":"(info|warn)"/.test(line)) notes += line;
        else written += `${line}\n`;
      },
    });
  let gateway = await startOne();

  async function expectHealthy(): Promise<void> {
    const { response } = await postOperation(gateway.url, healthy.query, { key: healthy.key });
    expect([response.status, await response.text()]).toEqual([200, healthy.response]);
  }

  async function send({ wire, responses }: Sent): Promise<RawResponse[]> {
    if (responses === undefined)
      return responsesFrom({ bytes: await sendIncomplete(gateway.origin, wire), isEnded: true });
    const connection = await openConnection(gateway.origin);
    const exchange = await connection.exchange(wire, responses);
    connection.close();
    return exchange.responses;
  }

  /** Sends a request, and checks the rules for any request. */
  async function check(sent: Sent): Promise<void> {
    if (gateway.hasExited()) {
      gateway = await startOne();
      await expectHealthy();
    }
    known.add(sent.key);
    recent.push(sent.wire);
    if (recent.length > KEPT_REQUESTS) recent.shift();
    const [stalls, faults] = [(await gateway.read('stalls')).length, upstream.violations.length];
    [written, notes] = ['', ''];
    const responses = await send(sent);
    const blockedMs = (await gateway.read('stalls')).slice(stalls);
    expect(leaksOf(sent.key, notes)).toEqual([]);
    expect(written, 'output of the gateway').toBe('');
    expect(upstream.violations.slice(faults), 'requests to the upstream').toEqual([]);
    for (const response of responses) expectNoLeak(response, sent.key, upstream.url);
    expect(blockedMs, 'how long the event loop was blocked, in milliseconds').toEqual([]);
  }

  await expectHealthy();
  return { check, expectHealthy };
}

/** Ends the connection when the server is silent: the bytes may not be a complete request. */
function sendIncomplete(origin: string, wire: string): Promise<string> {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  // The server may reset the connection.
  socket.on('error', () => {}).setTimeout(LONGEST_SILENCE_MS, () => socket.end());
  socket.once('end', () => socket.end());
  socket.write(wire, 'latin1');
  return new Promise((resolve) => socket.once('close', () => resolve(received)));
}

/** Checks the response to any request with `key`. */
function expectNoLeak(
  { status, fields, head, body, isWhole }: RawResponse,
  key: string,
  upstream: string,
): void {
  const text = `${head}\n\n${body}`;
  expect(status, text).toBeLessThan(500);
  expect(leaksOf(key, text), text).toEqual([]);
  expect(fields.get('cache-control'), text).toBe('no-store');
  const folders = [process.cwd(), homedir(), tmpdir()].filter((folder) => folder.length > 1);
  const names = [new URL(upstream).host, ...folders.map((folder) => `${folder}/`), hostname()];
  // A shorter one, such as a short host name, occurs in documents by chance.
  expect(names.filter((name) => name.length > 4 && text.includes(name))).toEqual([]);
  const type = fields.get('content-type') ?? '';
  // The page and its assets are code and name files.
  if (!/^(application\/(graphql-response\+)?json|multipart\/mixed|text\/event-stream)\b/.test(type)) return;
  for (const pattern of inside) expect(text).not.toMatch(pattern);
  for (const part of isWhole ? partsFrom(body) : []) {
    const { data, incremental, errors = [] } = part;
    if (data !== undefined || incremental !== undefined) continue;
    expect(errors.length, body).toBeLessThanOrEqual(MAX_ERRORS);
    if (errors.length > 0) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_REJECTION_BYTES);
  }
}

interface Part {
  data?: unknown;
  incremental?: unknown;
  errors?: unknown[];
}

/** The JSON documents of a response in any format, each on a line; only CR and LF end one. */
function partsFrom(body: string): Part[] {
  const lines = body.split(/[\r\n]+/).map((line) => line.replace(/^data: /, ''));
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const path = new RegExp(
  `^/v1/(site/SITE-[\\w.!~*'()%-]*(\\?include=(clients|projects|clients,projects))?|conversation/${uuid}/context|health)$`,
);

const rejections: Record<string, number> = { 'SITE-403': 403, 'SITE-404': 404, 'SITE-429': 429 };

/** A correct REST API that rejects a few sites. `violations` lists the requests that no gateway may send. */
async function startStrictUpstream(isSent: (key: string) => boolean) {
  const violations: string[] = [];
  const upstream = await startDocuments((req, res) => {
    // A long run would accumulate too many.
    upstream.requests.length = 0;
    const violation = violationOf(req, isSent);
    if (violation)
      violations.push(`${violation}: ${req.method} ${req.url} ${JSON.stringify(req.rawHeaders)}`);
    const status = rejections[siteFromPath(req.url ?? '').id];
    if (status !== undefined) sendJson(res, {}, status);
    return status !== undefined;
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
