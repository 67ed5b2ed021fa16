import { codeOfCall } from '../../errors.ts';
import { UpstreamError, UpstreamInvalidResponse, UpstreamUnreached } from '../../upstream/errors.ts';
import { type Api, Unseen } from './api.ts';
import { type Finding, type Rule, rules, targetsOf } from './rules.ts';

/** A rule, and what was found: what differs, or why it cannot be seen. */
export type Checked = Omit<Rule, 'check'> & Finding & { state: 'holds' | 'differs' | 'cannot be seen' };

/** Checks every rule, unless nothing can be read: then `fatal` is the reason. */
export async function checkRules(api: Api): Promise<{ fatal: string | null; rules: Checked[] }> {
  const target = String(targetsOf(api)[0]);
  const outcome = await api.get(target).catch((error: Error) => api.state().limited ?? error);
  const problem = outcome instanceof Error ? problemOfCall(outcome) : problemOf(outcome);
  const code = codeOfCall(outcome instanceof Error ? null : outcome.status, outcome);
  if (problem) return { fatal: `${problem}; the gateway's error is ${code}`, rules: [] };
  const checked: Checked[] = [];
  for (const rule of rules) checked.push(...(await checkRule(rule, api)));
  return { fatal: null, rules: checked };
}

/** Nothing where the API has not shown what the rule is about. */
export async function checkRule({ check, ...rule }: Rule, api: Api): Promise<Checked[]> {
  try {
    const finding = await check(api);
    return finding ? [{ ...rule, ...finding, state: finding.found === '' ? 'holds' : 'differs' }] : [];
  } catch (error) {
    if (!(error instanceof Unseen || error instanceof UpstreamError)) throw error;
    const failed = { ...rule, found: error.message, settings: {} };
    if (error instanceof Unseen) return [{ ...failed, state: 'cannot be seen', gateway: 'not known' }];
    const gateway = `the field is null, with the error ${codeOfCall(null, error)}`;
    return [{ ...failed, state: 'differs', gateway }];
  }
}

function problemOfCall(error: Error): string {
  const { code = error.message } = { ...(error.cause as { code?: string } | undefined) };
  if (error instanceof UpstreamUnreached)
    return error.message.replace('the REST API', 'the REST API at UPSTREAM_URL').replace(/\.$/, '');
  if (error instanceof UpstreamInvalidResponse)
    return error.message.replace('The REST API', 'UPSTREAM_URL').replace(/\.$/, '');
  const isOfTls = /TLS|SSL|CERT|EPROTO|SIGNATURE|ISSUER/.test(code);
  return `${isOfTls ? 'TLS to UPSTREAM_URL fails' : 'UPSTREAM_URL does not respond'}: ${code}`;
}

function problemOf({ status, headers }: { status: number; headers: Pick<Headers, 'get'> }) {
  if (status === 401 || status === 403) return `PORTICO_API_KEY is not accepted: status ${status}`;
  if (status === 429) return `PORTICO_API_KEY is over its rate limit: status ${status}`;
  if (status >= 500) return `UPSTREAM_URL fails: status ${status}`;
  if (Math.floor(status / 100) === 3) return `UPSTREAM_URL is redirected: status ${status}`;
  const isHtml = headers.get('content-type')?.includes('html');
  return isHtml ? 'UPSTREAM_URL has HTML, not the REST API' : undefined;
}
