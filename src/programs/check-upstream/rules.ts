import type { Relation } from '../../rest/resources.ts';
import type { Api, Kind } from './api.ts';

/** The resources that the key can read; an empty id: none is given. */
export type Ids = Readonly<Record<Kind, string>>;

/** A rule of the REST document, and what was found. No text has a value of the data. */
export interface Checked extends Finding {
  id: string;
  level: string;
  title: string;
  section: string;
  state: 'holds' | 'differs' | 'cannot be seen';
}

interface Finding {
  /** The differences, each with its effect in the gateway; empty if the rule holds. */
  found: string;
  /** Settings with which the rule holds. */
  settings?: Record<string, string>;
}

/** Undefined if the API gave no occasion to see the rule. @throws Unseen */
type Check = (api: Api, ids: Ids) => Finding | undefined | Promise<Finding | undefined>;

/** Says why a rule cannot be seen. */
class Unseen extends Error {}

const UNKNOWN_KEY = 'unknown-key-000000000000000000000000';
const UNKNOWN_CONVERSATION = '00000000-0000-4000-8000-000000000000';
const prefixOf = ({ config }: Api, { site }: Ids) => site.split('-')[0] || config.siteIdPrefix;
const limitedCall = ({ calls }: Api) => calls.find(({ status }) => status === 429);

/** Nothing is sent after a 429. */
async function read(api: Api, ...[kind, id, ...given]: Parameters<Api['read']>) {
  if (id === '') throw new Unseen(`--${kind} is not given`);
  const answer = limitedCall(api) ? undefined : await api.read(kind, id, ...given);
  if (!answer || limitedCall(api)) throw new Unseen('the rate limit of the key is exceeded');
  return { ...answer, status: `status ${answer.statuses.map((status) => status ?? 'unknown').join(', ')}` };
}

/** Holds if the gateway can read all of a resource; `include` has the faults that the resource alone has not. */
function fits(kind: Kind, include?: Relation): Check {
  return async (api, { [kind]: id }) => {
    const { isFound, faults } = await read(api, kind, id, include);
    const others = include ? (await read(api, kind, id)).faults : [];
    const own = faults.filter((fault) => !others.includes(fault));
    return { found: isFound || faults.length > 0 ? own.join('; ') : `there is no such ${kind}` };
  };
}

/** Holds if the request for a resource that does not exist has this status. */
function hasStatus(expected: number, kind: Kind, apiKey?: string): Check {
  return async (api, ids) => {
    const id = kind === 'site' ? `${prefixOf(api, ids)}-?` : UNKNOWN_CONVERSATION;
    const { status, faults } = await read(api, kind, id, undefined, apiKey);
    return { found: status === `status ${expected}` ? '' : [status, ...faults].join('; ') };
  };
}

const checks: Record<string, Check> = {
  'SITE-GET-01 MUST GET /v1/site/{id} responds with 200 and a Site (2.1, 4.2)': fits('site'),
  'SITE-GET-02 MUST the id of a site has the prefix SITE_ID_PREFIX (2.1)': (api, ids) => {
    if (ids.site === '') throw new Unseen('--site is not given');
    const prefix = prefixOf(api, ids);
    if (prefix === api.config.siteIdPrefix) return { found: '' };
    const found = 'another prefix; site is null, with the error BAD_USER_INPUT';
    return { found, settings: { SITE_ID_PREFIX: prefix } };
  },
  'SITE-INCLUDE-01 MUST include=clients expands the clients (2.3)': fits('site', 'clients'),
  'SITE-INCLUDE-02 MUST include=projects expands the projects (2.4)': fits('site', 'projects'),
  'SITE-ID-04 SHOULD an unknown site is a 404 (7)': hasStatus(404, 'site'),
  'CONVERSATION-GET-01 MUST GET /v1/conversation/{id}/context responds with 200 and a context (2.5, 4.3)':
    fits('conversation'),
  'CONVERSATION-ID-04 SHOULD an unknown conversation is a 404 (7)': hasStatus(404, 'conversation'),
  'KEY-02 MUST a request with an unknown key is a 403 (5.4)': hasStatus(403, 'site', UNKNOWN_KEY),
  'LIMIT-02 SHOULD every response has RateLimit and RateLimit-Policy (8)': async (api, ids) => {
    const { quota } = await read(api, 'site', `${prefixOf(api, ids)}-?`);
    return { found: quota?.limit && quota.windowSeconds ? '' : 'a field is missing or malformed' };
  },
  'TIME-01 SHOULD a response comes within UPSTREAM_TIMEOUT_MS (8)': ({ calls, config }) => {
    const slowestMs = Math.ceil(Math.max(...calls.map(({ durationMs }) => durationMs)));
    if (slowestMs <= config.upstream.timeoutMs) return { found: '' };
    const timeoutMs = Math.min(Math.ceil((3 * slowestMs) / 1000), 600) * 1000;
    const found = `a call takes ${slowestMs} ms; the field is null, with the error UPSTREAM_TIMEOUT`;
    return { found, settings: { UPSTREAM_TIMEOUT_MS: String(timeoutMs) } };
  },
  'LIMIT-03 SHOULD over the limit, every request is a 429 with Retry-After in seconds (8)': (api) => {
    const limited = limitedCall(api);
    return limited && { found: limited.retryAfter === undefined ? 'another Retry-After, or none' : '' };
  },
};

/** Checks each rule, in their order. */
export async function checkRules(api: Api, ids: Ids): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const [, id = '', level = '', title = '', section = ''] = /^(\S+) (\S+) (.+) \((.+)\)$/.exec(name) ?? [];
    const rule = { id, level, title, section };
    const finding = await findingOf(check, api, ids);
    if (finding) checked.push({ ...rule, ...finding });
  }
  return checked;
}

async function findingOf(
  check: Check,
  api: Api,
  ids: Ids,
): Promise<Pick<Checked, 'state' | 'found'> | undefined> {
  try {
    const finding = await check(api, ids);
    return finding && { ...finding, state: finding.found === '' ? 'holds' : 'differs' };
  } catch (error) {
    if (!(error instanceof Unseen)) throw error;
    return { state: 'cannot be seen', found: error.message };
  }
}
