import { isDeepStrictEqual } from 'node:util';
import { codeOfCall } from '../../errors.ts';
import { RESERVED_SHARE } from '../../features/notices/index.ts';
import { ttlOf } from '../../upstream/cache-control.ts';
import { type UpstreamResponse, validatorFrom } from '../../upstream/call.ts';
import { healthBodyFrom } from '../../upstream/client.ts';
import { UpstreamTimeout, UpstreamUnreached } from '../../upstream/errors.ts';
import { isObject, parse, textOf } from '../../upstream/json.ts';
import { healthTarget, pathOf, type Relation, relations } from '../../upstream/resources.ts';
import { type Api, Unseen } from './api.ts';
import { createReplay, type Fields, type Kind } from './replay.ts';

/** Undefined: the API has not shown what the rule is about. @throws Unseen, UpstreamError */
type Check = From<Promise<Finding | undefined>>;
type From<T> = (api: Api) => T;

/** No text has a value of the data. */
export interface Finding {
  /** What differs; empty where the rule holds. */
  found: string;
  /** What the gateway does, with null or the error code in its words. */
  gateway: string;
  /** Settings with which the rule holds. */
  settings: Record<string, string>;
}

function finding(found: string | false, gateway: string, settings = {}): Finding {
  return { found: found || '', gateway: gateway || 'not known', settings };
}

/** Without a cache nothing is kept. */
const noTtl = { freshMs: 0, staleMs: 0 };

const REJECTED = [400, 401, 403, 404, 405, 410, 422];
const unknownId = '00000000-0000-4000-8000-000000000000';
const unknownKey = () => ({ 'x-api-key': 'unknown-key-000000000000000000000000' });
const bearer: From<Fields> = ({ key }) => ({ authorization: `Bearer ${key}` });
const lists = [relations, '?include=projects,clients', '?include=clients%2Cprojects'] as const;
const messy = [['clients'], '?include=,%20clients%20,,clients,', '?include=+clients'] as const;
const odd = [['projects'], '?include=owners,Clients,projects'] as const;
const repeated = [relations, '?include=clients&include=projects'] as const;
const noSiteIds: From<string[]> = ({ prefix }) => ['1001', `X${prefix}-1`, prefix, `${prefix}1`];
const malformed: From<string[]> = ({ prefix }) => ['1001', `${prefix}-\n`, `${prefix}-${'x'.repeat(300)}`];
const sql: From<string[]> = ({ prefix: p }) => [`${p}-' or 1=1 --`, `${p}-%`, `${p}-_001`, `${p}-"; drop --`];
const noUuids = () => ['1', unknownId.slice(1), `%7B${unknownId}%7D`, `${unknownId}0`, "'%20or%201=1"];
const outside: From<readonly string[]> = ({ some }) => some(['/health', '/', '/site/x']);
const versions: From<readonly string[]> = ({ some }) => some(['/v2/health', '/V1/health', '/v11/health']);
const nowhere: From<readonly string[]> = ({ some }) => some(['/v1/nothing', '/v1', pathTo('site', '1001')]);
const isOfServiceLevel = (fault: string) => fault.startsWith('Site.serviceLevel ');
const full = (target: string) => `${target}?include=${relations}`;
const upper = (target: string) => target.replace(/[^/]{36}/, (id) => id.toUpperCase());
const pathTo = (kind: Kind, id: string) =>
  kind === 'site' ? pathOf({ kind, id }) : `/v1/conversation/${id.toLowerCase()}/context`;

/** Every readable resource, health last. */
export function targetsOf({ ids }: Api): string[] {
  const kinds = (['site', 'conversation'] as const).filter((kind) => ids[kind] !== '');
  return [...kinds.map((kind) => pathTo(kind, ids[kind])), healthTarget.path];
}

/** The statuses that are none of these. */
function otherThan(allowed: readonly number[], responses: readonly { status: number }[]): string {
  const strange = responses.map(({ status }) => status).filter((status) => !allowed.includes(status));
  return strange.length > 0 ? `status ${[...new Set(strange)].join(', ')}` : '';
}

/** The responses to requests that are sent one after another. */
async function getAll({ get }: Api, targets: readonly string[], fields?: Fields) {
  const responses: UpstreamResponse[] = [];
  for (const target of targets) responses.push(await get(target, fields));
  return responses;
}

/** Undefined for a body that is not JSON. The response keeps the bytes that were sent. */
function jsonOf(response: UpstreamResponse): unknown {
  try {
    return parse(textOf(response.body));
  } catch {
    return undefined;
  }
}

/** What the gateway makes of the resource that is named. @throws Unseen where it cannot be read */
async function read(api: Api, kind: Kind) {
  if (api.ids[kind] === '') throw new Unseen(`--${kind} is not given`);
  const response = await api.get(pathTo(kind, api.ids[kind]));
  const json = jsonOf(response);
  if (response.status !== 200 || !isObject(json)) throw new Unseen(`the ${kind} cannot be read`);
  return { json, ...(await api.replay(kind, api.ids[kind])) };
}

/** What the gateway makes of the resource at this target, else of the one that is named. */
async function wordsOf({ ids, replay }: Api, target = '', fields?: Fields) {
  const named = ids.site === '' ? 'conversation' : 'site';
  const [, kind = named, id = ids[named]] = /^\/v1\/(site|conversation)\/([^/?]+)/.exec(target) ?? [];
  const include = relations.filter((name) => target.split('?')[1]?.includes(name));
  return id && (await replay(kind as Kind, decodeURIComponent(id), include, fields)).words;
}

/** Holds where targets have one of these statuses. `toFields`: in place of the key. */
function responds(statuses: number[], toTargets: From<readonly string[]>, toFields?: From<Fields>): Check {
  return async (api) => {
    const [targets, fields] = [toTargets(api), toFields?.(api)];
    const responses: { status: number }[] = [];
    for (const target of targets) {
      const response = api.get(target, fields).catch((error: Error) => {
        // Outside of /v1 an error may come from a server in front of the REST API.
        if (!(error instanceof UpstreamUnreached) || target.startsWith('/v1/')) throw error;
        return error;
      });
      responses.push(await response);
    }
    return finding(otherThan(statuses, responses), await wordsOf(api, targets[0], fields));
  };
}

/** Holds where ids get one of these statuses. */
function rejects(statuses: number[], kind: Kind, toIds: From<string[]>): Check {
  return responds(statuses, (api) => api.some(toIds(api)).map((id) => pathTo(kind, id)));
}

/** Holds where the gateway can read all of a resource, but for the faults that are another rule's. */
function fits(kind: Kind, ...include: Relation[]): Check {
  return async (api) => {
    const isBare = include.length === 0;
    const others = isBare && api.ids[kind] !== '' ? [] : (await read(api, kind)).faults;
    const response = await api.get(pathTo(kind, api.ids[kind]) + (isBare ? '' : `?include=${include}`));
    const { words, faults } = await api.replay(kind, api.ids[kind], include);
    const own = faults.filter((fault) => !others.includes(fault) && !isOfServiceLevel(fault));
    if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) own.push('another type');
    return finding(otherThan([200], [response]) || own.join('; '), words);
  };
}

/** Holds where the site has exactly these relations, if included, and with each of these queries. */
function returns(expected: readonly Relation[], ...queries: readonly string[]): Check {
  return async (api) => {
    await read(api, 'site');
    const path = pathTo('site', api.ids.site);
    const targets = [`?include=${expected}`, ...api.some(queries)].map((query) => path + query);
    const found = (await getAll(api, targets)).map((response) => {
      const json = jsonOf(response);
      return `status ${response.status}, relations: ${relations.filter((name) => isObject(json) && name in json)}`;
    });
    const strange = found.filter((one) => one !== `status 200, relations: ${expected}`);
    return finding(strange.join('; '), (await api.replay('site', api.ids.site, expected)).words);
  };
}

/** Holds where the data of a resource is the same at another target, but for relations. */
function isSameAt(kind: Kind, toTarget: (target: string) => string): Check {
  const dataIn = (json: unknown) => isObject(json) && { ...json, clients: null, projects: null };
  return async (api) => {
    const { json } = await read(api, kind);
    const target = toTarget(pathTo(kind, api.ids[kind]));
    const response = await api.get(target);
    const isSame = isDeepStrictEqual(dataIn(jsonOf(response)), dataIn(json));
    return finding(otherThan([200], [response]) || (!isSame && 'other data'), await wordsOf(api, target));
  };
}

/** An id never changes its meaning and is never reused. SHOULD: the REST document says "not shown". */
const checks: Record<string, Check> = {
  'SITE-GET-01 MUST GET /v1/site/{id} responds with 200 and a Site (2.1, 4.2)': fits('site'),
  'SITE-GET-02 MUST the Site has the requested id, with the prefix of site ids (2.1)': async (api) => {
    const { json } = await read(api, 'site');
    const { words } = await createReplay(api.config, api.get)('site', api.ids.site);
    if (api.prefix !== api.config.siteIdPrefix)
      return finding('another prefix than SITE_ID_PREFIX', words, { SITE_ID_PREFIX: api.prefix });
    return finding(json.id !== api.ids.site && 'another id', words);
  },
  'SITE-GET-03 MUST serviceLevel, if present, is one of the allowed values (2.1.1)': async (api) => {
    const { faults, words } = await read(api, 'site');
    return finding(faults.some(isOfServiceLevel) && 'another value', words);
  },
  'SITE-GET-04 SHOULD relations are absent unless included (2.1)': returns([], '', '?x=clients&include=,,'),
  'SITE-INCLUDE-01 MUST include=clients expands the clients (2.3)': fits('site', 'clients'),
  'SITE-INCLUDE-02 MUST include=projects expands the projects (2.4)': fits('site', 'projects'),
  'SITE-INCLUDE-03 MUST include takes a list with commas, in any order (4.2)': returns(...lists),
  'SITE-INCLUDE-04 SHOULD blanks, empty parts and repetitions in include are ignored (7)': returns(...messy),
  'SITE-INCLUDE-05 SHOULD unknown names and names in capitals in include are ignored (7)': returns(...odd),
  'SITE-INCLUDE-06 SHOULD several include parameters are combined (7)': returns(...repeated),
  'SITE-INCLUDE-07 SHOULD include adds the relations and changes nothing else (7)': isSameAt('site', full),
  'SITE-ID-02 MUST an id without the prefix is not accepted (4.2)': rejects(REJECTED, 'site', noSiteIds),
  'SITE-ID-03 SHOULD a malformed id is a 400 (7)': rejects([400], 'site', malformed),
  'SITE-ID-04 SHOULD an unknown site is a 404 (7)': rejects([404], 'site', ({ prefix }) => [`${prefix}-?`]),
  'CONVERSATION-GET-01 MUST GET /v1/conversation/{id}/context responds with 200 and a context (2.5, 4.3)':
    fits('conversation'),
  'CONVERSATION-ID-01 SHOULD a UUID is accepted in upper and lower case (7)': isSameAt('conversation', upper),
  'CONVERSATION-ID-02 MUST only a UUID is accepted (4.3)': rejects(REJECTED, 'conversation', noUuids),
  'CONVERSATION-ID-03 SHOULD an id that is not a UUID is a 400 (7)': rejects([400], 'conversation', noUuids),
  'CONVERSATION-ID-04 SHOULD an unknown id is a 404 (7)': rejects([404], 'conversation', () => [unknownId]),
  'KEY-01 MUST a request without a key is a 403 (5.3)': responds([403], targetsOf, () => ({})),
  'KEY-02 MUST a request with an unknown key is a 403 (5.4)': responds([403], targetsOf, unknownKey),
  'KEY-03 MUST a key in Authorization is not accepted (5.2)': responds([403], targetsOf, bearer),
  'KEY-06 SHOULD the key is checked before the path and the id (7)': responds([403], nowhere, unknownKey),
  'HEALTH-01 MUST GET /v1/health responds with 200 to a key (4.1)': async (api) => {
    const response = await api.get(healthTarget.path);
    const isPassed = healthBodyFrom(response) !== null;
    return finding(otherThan([200], [response]), isPassed ? 'passes the body on' : 'Health.body is null');
  },
  'CACHE-01 SHOULD every response has Cache-Control: no-store (7)': async (api) => {
    const responses = await getAll(api, targetsOf(api));
    const isHeld = responses.every(({ headers }) => headers.get('cache-control') === 'no-store');
    const ms = Math.max(
      ...responses.map((one) => ttlOf(one, api.config.upstream.cache?.ttl ?? noTtl)?.freshMs ?? 0),
    );
    return finding(!isHeld && 'another value, or none', `keeps a response for ${ms} ms`);
  },
  'CACHE-02 SHOULD an ETag, if there is one, makes an equal response a 304 (7)': async (api) => {
    const [target = ''] = targetsOf(api);
    const response = await api.get(target);
    const { etag } = validatorFrom(response) ?? {};
    const [whole, isSent] = ['reads the whole body with each poll', response.headers.get('etag') !== null];
    if (etag === undefined) return finding(isSent && 'it is malformed', whole);
    const { status } = await api.get(target, { 'x-api-key': api.key, 'if-none-match': etag });
    if (status === 304) return finding(false, 'reads no body with a poll');
    return finding(`status ${status}`, status === 200 ? whole : `polls fail: ${codeOfCall(status, null)}`);
  },
  'LIMIT-02 SHOULD every response has RateLimit and RateLimit-Policy, and counts one (8)': async (api) => {
    const targets = [healthTarget.path, pathTo('site', '1001'), pathTo('conversation', '1')];
    const quotas = (await getAll(api, targets)).map(({ notices }) => notices?.quota);
    const isRead = quotas.every((quota) => quota?.limit && quota.windowSeconds);
    const isCounted = new Set(quotas.map((quota) => quota?.remaining)).size === quotas.length;
    const found = isRead ? !isCounted && 'some count nothing' : 'a field is missing or malformed';
    return finding(found, quotas[0] ? 'passes the quota on' : 'the quota is null');
  },
  'LIMIT-04 SHOULD the limit of a key allows the polls of live queries (8)': async (api) => {
    const { live } = api.config;
    const { limit = null, windowSeconds = null } = (await api.get(healthTarget.path)).notices?.quota ?? {};
    if (!limit || !windowSeconds) throw new Unseen('the quota is null');
    const perMinute = ((limit * 60) / windowSeconds) * (1 - RESERVED_SHARE);
    const calls = Math.max(Math.floor(perMinute), 1);
    const intervalS = Math.min(Math.ceil(60 / perMinute), 3600);
    const settings = {
      ...(live?.intervalMs !== undefined &&
        live.intervalMs < intervalS * 1000 && { LIVE_INTERVAL_S: String(intervalS) }),
      ...(live && live.callsPerMinute > calls && { LIVE_CALLS_PER_MINUTE: String(calls) }),
    };
    const found = Object.keys(settings).length > 0 && `it is ${limit} calls in ${windowSeconds} s`;
    return finding(found, `live queries pause below ${100 * RESERVED_SHARE} % of the quota`, settings);
  },
  'VERSION-01 MUST all paths begin with /v1; others are errors (9)': responds(REJECTED, outside),
  'VERSION-02 SHOULD other versions are a 404 (9)': responds([404], versions),
  'VERSION-03 SHOULD a deprecated version has Deprecation (RFC 9745) and Sunset (RFC 8594) on every response (9)':
    async (api) => {
      const all = await getAll(api, [...targetsOf(api), ...nowhere(api)]);
      if (!all.some(({ headers }) => headers.get('deprecation') || headers.get('sunset'))) return undefined;
      const read = all.map(({ notices }) => notices?.deprecation);
      const isHeld = read.every((one) => one?.since && one.sunset);
      return finding(!isHeld && 'missing or malformed', read[0] ? 'passes it on' : 'the deprecation is null');
    },
  'TIME-01 SHOULD a response comes within UPSTREAM_TIMEOUT_MS (8)': async (api) => {
    await api.get(targetsOf(api)[0] ?? '');
    const [{ calls, slowestMs }, { timeoutMs }] = [api.state(), api.config.upstream];
    const gateway = `the field is null, with the error ${codeOfCall(null, new UpstreamTimeout(timeoutMs))}`;
    const settings = { UPSTREAM_TIMEOUT_MS: String(Math.min(Math.ceil((3 * slowestMs) / 1000), 600) * 1000) };
    if (slowestMs <= timeoutMs) return finding(false, gateway);
    return finding(`the slowest of ${calls} calls takes ${slowestMs} ms`, gateway, settings);
  },
  'SITE-ID-05 SHOULD SQL in an id is text: an unknown site (7)': rejects([404], 'site', sql),
  'LIMIT-03 SHOULD over the limit, every request is a 429 with Retry-After in seconds (8)': async (api) => {
    const { limited } = api.state();
    if (!limited) return undefined;
    const isHeld = /^\d+$/.test(limited.headers.get('retry-after') ?? '');
    const words = `the field is null, with the error ${codeOfCall(429, null)}, retryAfter is`;
    return finding(!isHeld && 'another Retry-After, or none', `${words} ${limited.retryAfter ?? null}`);
  },
};

/** A rule of the contract. Its section of the REST document says so, or leaves it open. */
export type Rule = (typeof rules)[number];

/** In the order in which they are checked. */
export const rules = Object.entries(checks).map(([name, check]) => {
  const [, id = '', level = '', title = '', section = ''] = /^(\S+) (\S+) (.+) \((.+)\)$/.exec(name) ?? [];
  return { id, level, title, section, check };
});
