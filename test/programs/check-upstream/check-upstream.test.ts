import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import type { ReferenceOptions } from '../../../reference/server.ts';
import type { Checked } from '../../../src/programs/check-upstream/check.ts';
import { createReplay } from '../../../src/programs/check-upstream/replay.ts';
import { runCommand } from '../../support/command.ts';
import {
  apiKey,
  codes,
  type GraphqlResponse,
  postQuery,
  startGateway,
  testConfig,
} from '../../support/gateway.ts';
import { programPath } from '../../support/process.ts';
import { startReference } from '../../support/reference.ts';
import { startUpstream } from '../../support/upstream.ts';
import { send } from '../../support/wire.ts';

const site = demoSites().main;
const resources = ['--site', site, '--conversation', demoConversations.main];
const key = demoKeys.acme;

interface Report {
  calls: number;
  latencyMs?: number;
  fatal: string | null;
  rules: Checked[];
  settings: Record<string, string>;
}

async function portico(url: string, env: Record<string, string> = {}, args: string[] = resources) {
  const all = { UPSTREAM_URL: url, PORTICO_API_KEY: key, ...env };
  const ended = await runCommand(['check-upstream', ...args], { env: all });
  expect(ended.stdout + ended.stderr).not.toContain(all.PORTICO_API_KEY || ' never ');
  return ended;
}

async function reportOf(...[url, env, args = resources]: Parameters<typeof portico>) {
  const { code, stdout, stderr } = await portico(url, env, [...args, '--json']);
  return { code, stderr, report: JSON.parse(stdout) as Report };
}

const differing = ({ rules }: Report) => rules.filter(({ state }) => state === 'differs');

it('finds that the reference keeps every rule, with at most 40 GETs, one after another', async () => {
  const { url } = await startReference();
  let [active, mostActive] = [0, 0];
  const methods = new Set<string | undefined>();
  const upstream = await startUpstream(async (req, res) => {
    methods.add(req.method);
    active += 1;
    mostActive = Math.max(mostActive, active);
    const { status, headers, body } = await forwarded(url, req.url, req.headers);
    active -= 1;
    res.writeHead(status, headers).end(body);
  });
  const { code, stderr, report } = await reportOf(upstream.url);
  expect({ code, stderr, fatal: report.fatal, settings: report.settings }).toEqual({
    ...{ code: 0, stderr: '', fatal: null, settings: {} },
  });
  expect(report.rules.filter(({ state }) => state !== 'holds')).toEqual([]);
  expect(report.rules).toHaveLength(32);
  for (const { section, gateway } of report.rules) {
    expect(section).toMatch(/^\d[\d., ]*$/);
    expect(gateway).not.toBe('');
  }
  expect(report.calls).toBe(upstream.requests.length);
  expect(report.calls).toBeLessThanOrEqual(40);
  expect([[...methods], mostActive]).toEqual([['GET'], 1]);
});

const forwarded = (
  origin: string,
  path = '',
  { 'x-api-key': sent, authorization }: NodeJS.Dict<string | string[]>,
) =>
  send(origin, {
    ...{ method: 'GET', path },
    headers: { ...(sent !== undefined && { 'x-api-key': sent }), ...(authorization && { authorization }) },
  });

interface Response {
  status: number;
  headers: Record<string, string>;
  json: Record<string, unknown>;
  /** The bytes of the body; by default UTF-8. */
  encode?: (text: string) => string | Buffer;
}

/** Changes a response of the reference to a request. */
type Change = (
  response: Response,
  request: { path: string; headers: NodeJS.Dict<string | string[]> },
) => unknown;

/** The reference behind a server that changes its responses. */
async function startDeviating(change: Change, options: Partial<ReferenceOptions> = {}) {
  const { url } = await startReference(options);
  return startUpstream(async (req, res) => {
    const { status, headers, body } = await forwarded(url, req.url, req.headers);
    const { 'content-length': _, ...kept } = headers as Record<string, string>;
    const response: Response = { status, headers: kept, json: JSON.parse(body) as Response['json'] };
    await change(response, { path: req.url ?? '', headers: req.headers });
    const { encode = String } = response;
    res.writeHead(response.status, response.headers).end(encode(JSON.stringify(response.json)));
  });
}

const isSite = (path: string) => path.startsWith(`/v1/site/${site}`);
/** Another status for the requests that the test accepts. */
const withStatus =
  (status: number, accepts: (...given: Parameters<Change>) => boolean): Change =>
  (response, request) => {
    if (accepts(response, request)) response.status = status;
  };
const onSite =
  (values: object): Change =>
  ({ json, status }, { path }) => {
    if (isSite(path) && status === 200) Object.assign(json, values);
  };

/** Other bytes in the responses with data at these paths. */
const withBytes =
  (encode: NonNullable<Response['encode']>, contentType?: string, isChanged = isSite): Change =>
  (response, { path }) => {
    if (!isChanged(path) || response.status !== 200) return;
    response.json.city = 'Å';
    response.encode = encode;
    if (contentType) response.headers['content-type'] = contentType;
  };
const latin = (text: string) => Buffer.from(text, 'latin1');

interface Deviation {
  name: string;
  rule: string;
  change: Change;
  env?: Record<string, string>;
  gateway: string;
  query: string;
  /** What a gateway in front of that server responds with. */
  expected: { data?: unknown; codes?: unknown[] };
}

const query = (fields: string) => `{ site(id: "${site}") ${fields} }`;

const deviations: Deviation[] = [
  {
    name: 'a 403 for an unknown site',
    rule: 'SITE-ID-04',
    change: withStatus(403, ({ status }, { path }) => status === 404 && path.startsWith('/v1/site/')),
    gateway: 'site is null, with the error FORBIDDEN',
    query: '{ site(id: "SITE-?") { city } }',
    expected: { data: null, codes: ['FORBIDDEN'] },
  },
  {
    name: 'a 500 for an unknown conversation',
    rule: 'CONVERSATION-ID-04',
    change: withStatus(500, ({ status }, { path }) => status === 404 && path.startsWith('/v1/conversation/')),
    gateway: 'conversationContext is null, with the error UPSTREAM_UNAVAILABLE',
    query: '{ conversationContext(id: "00000000-0000-4000-8000-000000000000") { subject } }',
    expected: { data: { conversationContext: null }, codes: ['UPSTREAM_UNAVAILABLE'] },
  },
  {
    name: 'an include that is ignored',
    rule: 'SITE-INCLUDE-01',
    change: onSite({ clients: undefined }),
    gateway: 'Site.clients is null, and counted as drift',
    query: query('{ clients { name } }'),
    expected: { data: { site: { clients: null } }, codes: [] },
  },
  {
    name: 'a 500 for an include',
    rule: 'SITE-INCLUDE-02',
    change: withStatus(500, (_, { path }) => path.includes('include=projects')),
    gateway: 'site.projects is null, with the error UPSTREAM_UNAVAILABLE',
    query: query('{ id projects { name } }'),
    expected: { data: { site: { id: site, projects: null } }, codes: ['UPSTREAM_UNAVAILABLE'] },
  },
  {
    name: 'another site than the one requested',
    rule: 'SITE-GET-02',
    change: onSite({ id: 'SITE-9' }),
    gateway: 'site is null, with the error UPSTREAM_INVALID_RESPONSE',
    query: query('{ id }'),
    expected: { data: { site: null }, codes: ['UPSTREAM_INVALID_RESPONSE'] },
  },
  {
    name: 'a field of another type',
    rule: 'SITE-GET-01',
    change: onSite({ city: 7 }),
    gateway: 'Site.city is null, and counted as drift',
    query: query('{ city }'),
    expected: { data: { site: { city: null } }, codes: [] },
  },
  {
    name: 'a date of another form',
    rule: 'SITE-GET-01',
    change: onSite({ createdAt: '03/02/2026' }),
    gateway: 'site.createdAt is null, with the error UPSTREAM_INVALID_RESPONSE',
    query: query('{ createdAt }'),
    expected: { data: { site: { createdAt: null } }, codes: ['UPSTREAM_INVALID_RESPONSE'] },
  },
  {
    name: 'a site whose bytes are not UTF-8',
    rule: 'SITE-GET-01',
    change: withBytes(latin),
    gateway: 'site is null, with the error UPSTREAM_INVALID_RESPONSE',
    query: query('{ city }'),
    expected: { data: { site: null }, codes: ['UPSTREAM_INVALID_RESPONSE'] },
  },
  {
    name: 'a conversation whose bytes are not UTF-8',
    rule: 'CONVERSATION-GET-01',
    change: withBytes(latin, undefined, (path) => path.includes('/conversation/')),
    gateway: 'conversationContext is null, with the error UPSTREAM_INVALID_RESPONSE',
    query: `{ conversationContext(id: "${demoConversations.main}") { subject } }`,
    expected: { data: { conversationContext: null }, codes: ['UPSTREAM_INVALID_RESPONSE'] },
  },
  {
    name: 'a 404 of HTML for an unknown site',
    rule: 'SITE-ID-04',
    change: (response, { path }) => {
      if (path.startsWith('/v1/site/') && response.status === 404) response.encode = () => '<html>';
    },
    gateway: 'the field is null, with the error UPSTREAM_INVALID_RESPONSE',
    query: '{ site(id: "SITE-?") { city } }',
    expected: { data: { site: null }, codes: ['UPSTREAM_INVALID_RESPONSE'] },
  },
  {
    name: 'a service level that the document does not list',
    rule: 'SITE-GET-03',
    change: onSite({ serviceLevel: 'Gold' }),
    gateway: 'Site.serviceLevel is UNRECOGNIZED, and counted as drift',
    query: query('{ serviceLevel }'),
    expected: { data: { site: { serviceLevel: 'UNRECOGNIZED' } }, codes: [] },
  },
  {
    name: 'a relation that changes another field',
    rule: 'SITE-INCLUDE-07',
    change: ({ json, status }, { path }) => {
      if (isSite(path) && status === 200 && path.includes('clients')) json.city = null;
    },
    gateway: 'site is the data',
    query: query('{ city clients { name } }'),
    expected: { data: { site: { city: null, clients: expect.any(Array) } }, codes: [] },
  },
  {
    name: 'an id in capitals that is another',
    rule: 'CONVERSATION-ID-01',
    change: withStatus(404, (_, { path }) => path.includes(demoConversations.main.toUpperCase())),
    // The gateway sends every UUID in lower case.
    gateway: 'conversationContext is the data',
    query: `{ conversationContext(id: "${demoConversations.main.toUpperCase()}") { subject } }`,
    expected: { data: { conversationContext: { subject: expect.any(String) } }, codes: [] },
  },
  {
    name: 'a 500 for a quotation mark in an id',
    rule: 'SITE-ID-05',
    change: withStatus(500, (_, { path }) => path.includes("'") || path.includes('%27')),
    gateway: 'site is null, with the error UPSTREAM_UNAVAILABLE',
    query: `{ site(id: "SITE-' or 1=1 --") { city } }`,
    expected: { data: { site: null }, codes: ['UPSTREAM_UNAVAILABLE'] },
  },
  {
    name: 'a Deprecation that is no date',
    rule: 'VERSION-03',
    change: ({ headers }) => void Object.assign(headers, { deprecation: 'true' }),
    gateway: 'the deprecation is null',
    query: query('{ id }'),
    expected: { data: { site: { id: site } } },
  },
  {
    name: 'a 401 for an unknown key',
    rule: 'KEY-02',
    change: withStatus(401, (_, { headers }) => headers['x-api-key'] !== key),
    gateway: 'site is null, with the error FORBIDDEN',
    query: query('{ id }'),
    expected: { data: null, codes: ['FORBIDDEN'] },
  },
  {
    name: 'no quota fields',
    rule: 'LIMIT-02',
    change: ({ headers }) => void delete headers.ratelimit,
    gateway: 'the quota is null',
    query: query('{ id }'),
    expected: { data: { site: { id: site } } },
  },
  {
    name: 'a response that may be cached',
    rule: 'CACHE-01',
    change: ({ headers }) => void Object.assign(headers, { 'cache-control': 'max-age=30' }),
    env: { CACHE_TTL_MS: '60000' },
    gateway: 'keeps a response for 30000 ms',
    query: query('{ id }'),
    expected: { data: { site: { id: site } } },
  },
  {
    name: 'an ETag that makes no 304',
    rule: 'CACHE-02',
    change: ({ headers }) => void Object.assign(headers, { etag: '"1"' }),
    gateway: 'reads the whole body with each poll',
    query: query('{ id }'),
    expected: { data: { site: { id: site } } },
  },
  {
    name: 'a Retry-After that is neither seconds nor a date',
    rule: 'LIMIT-03',
    change: (response, { path }) => {
      if (!path.startsWith('/v1/conversation/')) return;
      response.status = 429;
      response.headers['retry-after'] = 'soon';
    },
    gateway: 'the field is null, with the error RATE_LIMITED, retryAfter is null',
    query: `{ conversationContext(id: "${demoConversations.main}") { id } }`,
    expected: { data: null, codes: ['RATE_LIMITED'] },
  },
];

it.each(deviations)('names $name, and what the gateway does', async (deviation) => {
  const { rule, change, env = {}, gateway: words, expected } = deviation;
  const upstream = await startDeviating(change);
  const { code, report } = await reportOf(upstream.url, env);
  const found = differing(report).find(({ id }) => id === rule);
  expect(found?.gateway.split('; ')).toContain(words);
  expect(code).toBe(differing(report).some(({ level }) => level === 'MUST') ? 1 : 0);
  expect(report.calls).toBeLessThanOrEqual(40);

  const sentKey = rule === 'KEY-02' ? apiKey : key;
  const before = upstream.requests.length;
  const gateway = await startGateway(upstream.url, env);
  const respond = () => postQuery(gateway.url, deviation.query, { key: sentKey });
  const response: GraphqlResponse = await respond();
  expect(response.data ?? null).toEqual(expected.data);
  expect(codes(response)).toEqual(expected.codes ?? []);
  if (rule === 'LIMIT-02') expect(response.headers.get('ratelimit')).toBeNull();
  if (rule === 'VERSION-03') expect(response.headers.get('deprecation')).toBeNull();
  if (rule === 'LIMIT-03') expect(response.errors?.[0]?.extensions).not.toHaveProperty('retryAfter');
  await respond();
  // A cached response makes no call; a key without a pause makes another.
  expect(upstream.requests.length > before + 1).toBe(rule !== 'CACHE-01');
});

it('sees that a deprecated version says so in every response', async () => {
  const deprecation = { date: new Date('2027-01-01'), sunset: new Date('2027-07-01') };
  const upstream = await startDeviating(
    ({ headers, status }) => {
      if (status !== 200) delete headers.sunset;
    },
    { deprecation },
  );
  const findings = [];
  for (const { url } of [await startReference({ deprecation }), upstream])
    findings.push((await reportOf(url)).report.rules.find(({ id }) => id === 'VERSION-03'));
  expect(findings).toMatchObject([
    { state: 'holds', found: '', gateway: 'passes it on' },
    { state: 'differs', found: 'missing or malformed', gateway: 'passes it on' },
  ]);
});

it('finds nothing in an API that orders the members of its objects otherwise', async () => {
  const upstream = await startDeviating((response) => {
    if (response.status === 200) response.json = Object.fromEntries(Object.entries(response.json).reverse());
  });
  expect(differing((await reportOf(upstream.url)).report)).toEqual([]);
});

it('takes no failure for a slow response', async () => {
  const { url } = await startReference();
  const timeoutMs = 2000;
  const upstream = await startUpstream(async (req, res) => {
    if (req.url?.includes('/v2/')) return void delay(timeoutMs + 500).then(() => res.destroy());
    const { status, headers, body } = await forwarded(url, req.url, req.headers);
    res.writeHead(status, headers).end(body);
  });
  const { report } = await reportOf(upstream.url, { UPSTREAM_TIMEOUT_MS: String(timeoutMs) });
  expect(differing(report).map(({ id }) => id)).toEqual(['VERSION-02']);
});

it('measures the latency of what succeeds, for a forecast', async () => {
  const { url } = await startReference();
  const latencyMs = 300;
  const upstream = await startUpstream(async (req, res) => {
    const { status, headers, body } = await forwarded(url, req.url, req.headers);
    if (status === 200) await delay(latencyMs);
    res.writeHead(status, headers).end(body);
  });
  const { stdout } = await portico(upstream.url);
  const [, measured] = /^forecast: portico plan --latency (\d+)ms$/m.exec(stdout) ?? [];
  expect(Number(measured)).toBeGreaterThanOrEqual(latencyMs);
  expect((await reportOf(upstream.url, {}, [])).report.latencyMs).toBeGreaterThanOrEqual(latencyMs);
});

it('sees nothing more after a 429', async () => {
  const upstream = await startDeviating((response, { path }) => {
    if (path === '/v1/health') Object.assign(response, { status: 429, headers: { 'retry-after': '7' } });
  });
  const { report } = await reportOf(upstream.url);
  const states = report.rules.map(({ id, state }) => `${id} ${state}`);
  expect(states).toContain('SITE-GET-01 holds');
  expect(states).toContain('LIMIT-03 holds');
  expect(states).toContain('VERSION-02 cannot be seen');
  expect(upstream.paths().indexOf('/v1/health')).toBe(report.calls - 1);
  expect(upstream.requests.length).toBe(report.calls);
});

const pastes: [
  string,
  string,
  Record<string, string>,
  Change,
  Partial<ReferenceOptions>,
  string[],
  string[],
][] = [
  [
    'the prefix of the site ids',
    'SITE-GET-02',
    {},
    () => {},
    { siteIdPrefix: 'HOME' },
    ['--site', 'HOME-1001'],
    ['SITE_ID_PREFIX'],
  ],
  [
    'a timeout for slow responses',
    'TIME-01',
    { UPSTREAM_TIMEOUT_MS: '50' },
    (_, { path }) => (path === `/v1/site/${site}` ? delay(100) : undefined),
    {},
    resources,
    ['UPSTREAM_TIMEOUT_MS'],
  ],
  [
    'an interval of live queries for a small quota',
    'LIMIT-04',
    {},
    () => {},
    { rateLimit: { limit: 100, windowS: 3600 } },
    resources,
    ['LIVE_INTERVAL_S', 'LIVE_CALLS_PER_MINUTE'],
  ],
];

it.each(pastes)(
  'proposes %s, with which the finding is gone',
  async (_, rule, env, change, options, args, names) => {
    const upstream = await startDeviating(change, options);
    const { report } = await reportOf(upstream.url, env, args);
    expect(differing(report).map(({ id }) => id)).toEqual([rule]);
    expect(Object.keys(report.settings)).toEqual(names);
    const pasted = await reportOf(upstream.url, { ...env, ...report.settings }, args);
    expect(differing(pasted.report)).toEqual([]);

    // The gateway does as it said without the settings, and serves with them.
    const id = args[1];
    const code = { 'SITE-GET-02': 'BAD_USER_INPUT', 'TIME-01': 'UPSTREAM_TIMEOUT' }[rule];
    const responses = [];
    for (const settings of [env, { ...env, ...report.settings }]) {
      const gateway = await startGateway(upstream.url, settings);
      responses.push(codes(await postQuery(gateway.url, `{ site(id: "${id}") { id } }`, { key })));
    }
    expect(responses).toEqual([code ? [code] : [], []]);
    if (code) expect(differing(report)[0]?.gateway).toContain(`is null, with the error ${code}`);
  },
);

it('prints no value of the data, whatever differs', async () => {
  const upstream = await startDeviating(({ json }) => {
    for (const name of Object.keys(json))
      if (name !== 'id' && name !== 'status') json[name] = ['secret value'];
  });
  const { stdout } = await portico(upstream.url, {}, resources);
  const { code, stdout: json, stderr } = await portico(upstream.url, {}, [...resources, '--json']);
  expect(code).toBe(1);
  expect(stdout).toContain('differs');
  expect(stdout + json + stderr).not.toMatch(/secret value|SITE-1001|5f0c2a9e/i);
});

const respondWith = (status: number, type: string, body = '') =>
  startUpstream((_, res) => res.writeHead(status, { 'content-type': type, location: '/x' }).end(body));
const outages: [string, () => Promise<{ url: string }>, RegExp][] = [
  [
    'a port that is closed',
    async () => ({ url: 'http://127.0.0.1:9' }),
    /UPSTREAM_URL does not respond: ECONNREFUSED/,
  ],
  [
    'a server without TLS',
    async () => {
      const { url } = await respondWith(200, 'application/json', '{}');
      return { url: url.replace('http:', 'https:') };
    },
    /TLS to UPSTREAM_URL fails: \w+/,
  ],
  [
    'an outage',
    () => respondWith(503, 'application/json', '{}'),
    /UPSTREAM_URL fails: status 503.*UPSTREAM_UNAVAILABLE/,
  ],
  [
    'a wrong key',
    () => respondWith(403, 'application/json', '{}'),
    /PORTICO_API_KEY is not accepted.*FORBIDDEN/,
  ],
  [
    'a key over its rate limit',
    () => respondWith(429, 'application/json', '{}'),
    /PORTICO_API_KEY is over its rate limit: status 429.*RATE_LIMITED/,
  ],
  [
    'a page',
    () => respondWith(200, 'text/html', '<html>'),
    /UPSTREAM_URL has HTML.*UPSTREAM_INVALID_RESPONSE/,
  ],
  [
    'a firewall',
    () => respondWith(403, 'text/html', '<html>'),
    /did not come from the REST API at UPSTREAM_URL: .* status 403;.*UPSTREAM_INVALID_RESPONSE/,
  ],
  ['a redirect', () => respondWith(302, 'text/plain'), /UPSTREAM_URL is redirected: status 302/],
  [
    'a connection that is cut',
    () => startUpstream((_, res) => res.destroy()),
    /UPSTREAM_URL does not respond/,
  ],
  [
    'a server that does not speak HTTP',
    () => startUpstream((_, res) => res.socket?.end('SSH-2.0-nothing\r\n')),
    /UPSTREAM_URL sent an invalid response: it is malformed HTTP;.*UPSTREAM_INVALID_RESPONSE/,
  ],
];

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/check-upstream.md'), 'utf8');
/** The text without what depends on the system, or is one of several. */
const general = (text: string) =>
  text.replace(/(respond|fails): [A-Z]\w+|redirected: status 30\d/g, (found) => found.replace(/: .*/, ''));

it.each(outages)('says in one line that there is %s', async (_, start, line) => {
  const { url } = await start();
  for (const args of [[], resources]) {
    const { code, stdout, stderr } = await portico(url, {}, args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(line);
    expect(general(page)).toContain(`\n| \`${general(stderr).trimEnd()}\` |`);
    const { report } = await reportOf(url, {}, args);
    expect(report).toMatchObject({ fatal: stderr.trimEnd(), rules: [] });
  }
});

it('prints what docs/check-upstream.md shows', async () => {
  const [command = '', output = '', rule = ''] = ['sh', 'text', 'json'].map(
    (kind) => new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? '',
  );
  const { url } = await startReference({ siteIdPrefix: 'HOME' });
  const text = command
    .replace('https://partner-api.example.com', url)
    .replace('npx --no-install portico', `${process.execPath} ${programPath('main.ts')}`);
  const printed = (args = '') =>
    promisify(execFile)('sh', ['-c', text.trimEnd() + args], { env: { PATH: process.env.PATH } }).catch(
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  const { stdout, ...ended } = await printed();
  expect(ended).toEqual({ stderr: 'SITE-GET-02 does not hold\n', code: 1 });
  const latency = /(?<=--latency )\d+/;
  expect(stdout.replace(latency, 'L')).toBe(output.replace(latency, 'L'));
  const { rules } = JSON.parse((await printed(' --json')).stdout) as Report;
  expect(rules).toContainEqual(JSON.parse(rule));
});

it('exits with 2 for a missing key or address', async () => {
  const { url } = await startReference();
  for (const env of [{ PORTICO_API_KEY: '' }, { PORTICO_API_KEY: 'two keys' }, { UPSTREAM_URL: '' }]) {
    const { code, stdout, stderr } = await portico(url, { ...env }, []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/PORTICO_API_KEY|UPSTREAM_URL/);
  }
});

it('sees without a site and a conversation only what needs none', async () => {
  const { url } = await startReference();
  const { code, report } = await reportOf(url, {}, []);
  expect(code).toBe(0);
  expect(differing(report)).toEqual([]);
  const unseen = report.rules.filter(({ state }) => state === 'cannot be seen');
  expect(new Set(unseen.map(({ found }) => found))).toEqual(
    new Set(['--site is not given', '--conversation is not given']),
  );
});

it('reads the response to a request once, however many rules are about it', async () => {
  const read: string[] = [];
  const body = Buffer.from(JSON.stringify({ id: 'SITE-1', address1: 'a', clients: [{ x: 1 }] }));
  const replay = createReplay(testConfig(), async (target) => {
    read.push(target);
    return {
      ...{
        status: 200,
        headers: new Headers(),
        body,
        sentPath: target,
        retryAfter: undefined,
        notices: null,
      },
      ...{ isDecoded: false, isStored: false, resource: undefined },
    };
  });
  const found = await replay('site', 'SITE-1', ['clients']);
  expect(await replay('site', 'SITE-1', ['clients'])).toEqual(found);
  await replay('site', 'SITE-1');
  expect(read).toEqual(['/v1/site/SITE-1?include=clients', '/v1/site/SITE-1']);
});
