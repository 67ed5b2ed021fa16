import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import type { ReferenceOptions } from '../../../reference/server.ts';
import type { Checked } from '../../../src/programs/check-upstream/rules.ts';
import { runCommand } from '../../support/command.ts';
import { codes, postQuery, startGateway } from '../../support/gateway.ts';
import { startReference } from '../../support/reference.ts';
import { startUpstream } from '../../support/upstream.ts';
import { send } from '../../support/wire.ts';

const site = demoSites().main;
const resources = ['--site', site, '--conversation', demoConversations.main];
const key = demoKeys.acme;

interface Report {
  latencyMs?: number;
  fatal: string | null;
  rules: Checked[];
}

async function portico(url: string, env: Record<string, string> = {}, args: string[] = resources) {
  const all = { UPSTREAM_URL: url, PORTICO_API_KEY: key, ...env };
  const ended = await runCommand(['check-upstream', ...args], { env: all });
  expect(ended.stdout + ended.stderr).not.toContain(all.PORTICO_API_KEY || ' never ');
  return ended;
}

async function reportOf(...[url, env, args = resources]: Parameters<typeof portico>) {
  const { code, stdout } = await portico(url, env, [...args, '--json']);
  return { code, report: JSON.parse(stdout) as Report };
}

const foundBy = ({ rules }: Report) =>
  rules.filter(({ state }) => state !== 'holds').map(({ id, found }) => `${id}: ${found}`);

interface Response {
  status: number;
  headers: Record<string, string>;
  json: Record<string, unknown>;
}

/** Changes a response of the reference to a request. */
type Change = (response: Response, path: string, sentKey: unknown) => unknown;

/** The reference behind a server that changes its responses. */
async function startDeviating(change: Change, options: Partial<ReferenceOptions> = {}) {
  const { url } = await startReference(options);
  return startUpstream(async (req, res) => {
    const { 'x-api-key': sent = '' } = req.headers;
    const path = req.url ?? '';
    const { status, headers, body } = await send(url, {
      method: 'GET',
      path,
      headers: { 'x-api-key': sent },
    });
    const { 'content-length': _, ...kept } = headers as Record<string, string>;
    const response: Response = { status, headers: kept, json: JSON.parse(body) as Response['json'] };
    await change(response, path, sent);
    res.writeHead(response.status, response.headers).end(JSON.stringify(response.json));
  });
}

it('finds that the reference keeps every rule, by few calls one after another', async () => {
  let [active, mostActive] = [0, 0];
  const upstream = await startDeviating(async () => {
    active += 1;
    mostActive = Math.max(mostActive, active);
    await delay(1);
    active -= 1;
  });
  const { code, report } = await reportOf(upstream.url);
  expect([code, report.fatal, foundBy(report), report.rules.length]).toEqual([0, null, [], 10]);
  expect(upstream.requests.length).toBeLessThan(15);
  expect(mostActive).toBe(1);
});

const isSite = (path: string) => path.startsWith(`/v1/site/${site}`);
const onSite =
  (values: object): Change =>
  ({ json }, path) =>
    void (isSite(path) && Object.assign(json, values));
const withStatus =
  (status: number, accepts: (...given: Parameters<Change>) => boolean): Change =>
  (response, ...given) => {
    if (accepts(response, ...given)) response.status = status;
  };

const invalid = 'with the error UPSTREAM_INVALID_RESPONSE';
const deviations: Record<string, [change: Change, found: string]> = {
  'a field of another type': [
    onSite({ city: 7 }),
    'SITE-GET-01: Site.city is missing or invalid, and counted as drift',
  ],
  'a service level that the document does not list': [
    onSite({ serviceLevel: 'Gold' }),
    'SITE-GET-01: Site.serviceLevel is missing or invalid, and counted as drift',
  ],
  'an include that is ignored': [
    onSite({ clients: undefined }),
    'SITE-INCLUDE-01: Site.clients is missing or invalid, and counted as drift',
  ],
  'a 500 for an include': [
    withStatus(500, (_, path) => path.includes('include=projects')),
    'SITE-INCLUDE-02: site.projects is null, with the error UPSTREAM_UNAVAILABLE',
  ],
  'another site than the one requested': [onSite({ id: 'SITE-9' }), `SITE-GET-01: site is null, ${invalid}`],
  'a 403 for an unknown site': [
    withStatus(403, ({ status }) => status === 404),
    'SITE-ID-04: status 403; site is null, with the error FORBIDDEN',
  ],
  'a 404 for a conversation of the key': [
    withStatus(404, (_, path) => path.includes(demoConversations.main)),
    'CONVERSATION-GET-01: there is no such conversation',
  ],
  'data for an unknown key': [withStatus(404, (_, __, sent) => sent !== key), 'KEY-02: status 404'],
  'no quota': [({ headers }) => void delete headers.ratelimit, 'LIMIT-02: a field is missing or malformed'],
  'a Retry-After that is neither seconds nor a date': [
    (response, path) => {
      if (!path.includes('/conversation/')) return;
      Object.assign(response, { status: 429, headers: { 'retry-after': 'soon' } });
    },
    'LIMIT-03: another Retry-After, or none',
  ],
};

it.each(Object.entries(deviations))('names %s, and what the gateway does', async (_, [change, found]) => {
  const { url } = await startDeviating(change);
  const { code, report } = await reportOf(url);
  expect(foundBy(report).join('\n')).toContain(found);
  expect(code).toBe(report.rules.some(({ level, state }) => level === 'MUST' && state === 'differs') ? 1 : 0);
});

it('sends nothing after a 429', async () => {
  const upstream = await startDeviating((response, path) => {
    if (path.includes('include')) Object.assign(response, { status: 429, headers: { 'retry-after': '7' } });
  });
  const { report } = await reportOf(upstream.url);
  const states = report.rules.map(({ id, state }) => `${id} ${state}`);
  expect(states).toEqual(
    expect.arrayContaining(['SITE-GET-01 holds', 'LIMIT-03 holds', 'KEY-02 cannot be seen']),
  );
  expect(upstream.paths()).toEqual(['/v1/health', `/v1/site/${site}`, `/v1/site/${site}?include=clients`]);
});

const pastes: [string, Record<string, string>, Partial<ReferenceOptions>, string, string][] = [
  ['SITE_ID_PREFIX', {}, { siteIdPrefix: 'HOME' }, 'HOME-1001', 'BAD_USER_INPUT'],
  ['UPSTREAM_TIMEOUT_MS', { UPSTREAM_TIMEOUT_MS: '50' }, {}, site, 'UPSTREAM_TIMEOUT'],
];

it.each(pastes)('proposes %s, with which the rule holds', async (name, env, options, id, code) => {
  const { url } = await startDeviating((_, path) => path === `/v1/site/${site}` && delay(100), options);
  const { stdout } = await portico(url, env, ['--site', id]);
  expect(stdout).toContain(`, with the error ${code}\n`);
  const [, setting = '', value = ''] = /^paste: (\w+)=(\w+)$/m.exec(stdout) ?? [];
  expect(setting).toBe(name);
  const pasted = { ...env, [setting]: value };
  expect((await portico(url, pasted, ['--site', id])).stdout).not.toContain('paste:');
  const responses = [];
  for (const settings of [env, pasted]) {
    const gateway = await startGateway(url, settings);
    responses.push(codes(await postQuery(gateway.url, `{ site(id: "${id}") { id } }`, { key })));
  }
  expect(responses).toEqual([[code], []]);
});

it('prints no value of the data, and the latency for a forecast', async () => {
  const { url } = await startDeviating(({ json }, path) => {
    for (const name of Object.keys(json)) if (name !== 'id' && isSite(path)) json[name] = ['secret value'];
  });
  const { code, stdout } = await portico(url);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^forecast: portico plan --latency [1-9]\d*ms$/m);
  expect(stdout + JSON.stringify(await portico(url, {}, [...resources, '--json']))).not.toMatch(
    /secret value|SITE-1001|5f0c2a9e/i,
  );
});

const respondWith = (status: number, type: string, body = '') =>
  startUpstream((_, res) => res.writeHead(status, { 'content-type': type, location: '/x' }).end(body));
const outages: [string, () => Promise<{ url: string }>, RegExp][] = [
  ['a closed port', async () => ({ url: 'http://127.0.0.1:9' }), /UPSTREAM_URL cannot be read: ECONNREFUSED/],
  [
    'a server without TLS',
    async () => ({ url: (await respondWith(200, 'text/plain')).url.replace('http:', 'https:') }),
    /UPSTREAM_URL cannot be read: \w*SSL\w*/,
  ],
  ['an outage', () => respondWith(503, 'application/json', '{}'), /UPSTREAM_URL fails: status 503/],
  ['a wrong key', () => respondWith(403, 'application/json', '{}'), /PORTICO_API_KEY is not accepted/],
  [
    'a key over its limit',
    () => respondWith(429, 'application/json', '{}'),
    /over its rate limit: status 429/,
  ],
  ['a page', () => respondWith(200, 'text/html', '<html>'), /UPSTREAM_URL has HTML/],
  ['a firewall', () => respondWith(403, 'text/html', '<html>'), /did not come from the REST API/],
  ['a redirect', () => respondWith(302, 'text/plain'), /UPSTREAM_URL fails: status 302/],
];

it.each(outages)('says in one line that there is %s', async (_, start, line) => {
  const { url } = await start();
  const { code, stdout, stderr } = await portico(url);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(line);
  expect((await reportOf(url)).report).toMatchObject({ fatal: stderr.trimEnd(), rules: [] });
});

it.each([{ PORTICO_API_KEY: '' }, { PORTICO_API_KEY: 'two keys' }, { UPSTREAM_URL: '' }])(
  'exits with 1 for %o',
  async (env) => {
    const { code, stdout, stderr } = await portico('http://127.0.0.1:9', env as Record<string, string>, []);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(Object.keys(env)[0]);
  },
);

it('sees without a site and a conversation only what needs none', async () => {
  const { url } = await startReference();
  const { code, report } = await reportOf(url, {}, []);
  expect(code).toBe(0);
  expect(new Set(foundBy(report).map((line) => line.replace(/.*: /, '')))).toEqual(
    new Set(['--site is not given', '--conversation is not given']),
  );
});
