import { checkConfiguration } from '../../command/check.ts';
import { tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readEnv } from '../../config/settings.ts';
import { apiKeyFrom } from '../../http/request.ts';
import { UpstreamError } from '../../rest/errors.ts';
import { type Api, createApi } from './api.ts';
import { type Checked, checkRules, type Ids } from './rules.ts';

/** Checks the API at UPSTREAM_URL rule by rule. No line has a value of its data, an id or the key. */
export async function checkUpstream<Config extends CoreConfig>(
  ids: Ids,
  isJson: boolean,
  composition: Composition<Config>,
) {
  const { faults } = await checkConfiguration(composition);
  const { config } = composition.settings.configFromEnv(readEnv());
  const key = apiKeyFrom(readEnv().PORTICO_API_KEY);
  const url = config?.upstream.url;
  if (!key) faults.push('PORTICO_API_KEY must be one API key');
  if (config && !url) faults.push('UPSTREAM_URL must be set');
  if (!key || !url || faults.length > 0) return { lines: [], faults };
  const api = createApi({ url, key, config });
  try {
    const fatal = await problemOf(api);
    const rules = fatal ? [] : await checkRules(api, ids);
    const report = { fatal: fatal ?? null, latencyMs: latencyOf(api), rules };
    const broken = rules.filter(({ level, state }) => level === 'MUST' && state === 'differs');
    return {
      lines: isJson ? [JSON.stringify(report, null, 2)] : fatal ? [] : linesFrom(report),
      faults: fatal ? [fatal] : broken.map(({ id }) => `${id} does not hold`),
    };
  } finally {
    await api.close();
  }
}

/** Why nothing can be read. */
async function problemOf(api: Api): Promise<string | undefined> {
  try {
    const { status, headers } = await api.health();
    if (status === 401 || status === 403) return `PORTICO_API_KEY is not accepted: status ${status}`;
    if (status === 429) return `PORTICO_API_KEY is over its rate limit: status ${status}`;
    const isHtml = headers['content-type']?.includes('html');
    if (status !== 200) return `UPSTREAM_URL fails: status ${status}`;
    return isHtml ? 'UPSTREAM_URL has HTML, not the REST API' : undefined;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const { code } = { ...(error.cause as { code?: string } | undefined) };
    return `UPSTREAM_URL cannot be read: ${code ?? error.message}`;
  }
}

/** The median of the calls with status 200; undefined if there is none. */
function latencyOf({ calls }: Api): number | undefined {
  const latencies = calls
    .filter(({ status }) => status === 200)
    .map(({ durationMs }) => Math.ceil(durationMs));
  return latencies.toSorted((one, other) => one - other)[latencies.length >> 1];
}

function linesFrom({ rules, latencyMs }: { rules: Checked[]; latencyMs: number | undefined }): string[] {
  const rows = rules.map((rule) => [rule.state, rule.id, rule.level, rule.section, rule.title]);
  const others = rules.filter(({ state }) => state !== 'holds');
  const settings = Object.entries(Object.assign({}, ...rules.map((rule) => rule.settings)));
  return [
    ...tableFrom(['state', 'rule', 'level', 'section', 'what it says'], rows),
    ...others.map(({ id, state, found }) => `${id} ${state}: ${found}`),
    ...settings.map(([name, value]) => `paste: ${name}=${value}`),
    ...(latencyMs ? [`forecast: portico plan --latency ${latencyMs}ms`] : []),
    `${rules.length - others.length} of ${rules.length} rules hold`,
  ];
}
