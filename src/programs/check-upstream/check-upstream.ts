import { checkConfiguration } from '../../command/check.ts';
import { tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readEnv } from '../../config.ts';
import { apiKeyFrom } from '../../http/request.ts';
import { createApi } from './api.ts';
import { type Checked, checkRules } from './check.ts';

const MAX_CALLS = 40;

/** Checks the API at UPSTREAM_URL rule by rule. No line has a value of its data, an id or the key. */
export async function checkUpstream<Config extends CoreConfig>(
  ids: Parameters<typeof createApi>[0]['ids'],
  isJson: boolean,
  composition: Composition<Config>,
) {
  const { faults } = await checkConfiguration(composition);
  const { config } = composition.settings.configFromEnv(readEnv());
  const key = apiKeyFrom(readEnv().PORTICO_API_KEY);
  const url = config?.upstream.url;
  if (!key) faults.push('PORTICO_API_KEY must be one API key');
  if (config && !url) faults.push('UPSTREAM_URL must be set');
  if (!key || !url || faults.length > 0) return { lines: [], faults, isMisuse: true };
  const api = createApi({ url, key, config, ids, maxCalls: MAX_CALLS });
  const { fatal, rules } = await checkRules(api).finally(api.close);
  const settings: Record<string, string> = Object.assign({}, ...rules.map((rule) => rule.settings));
  const report = { calls: api.state().calls, latencyMs: api.latencyMs(), fatal, rules, settings };
  const broken = rules.filter(({ level, state }) => level === 'MUST' && state === 'differs');
  const lines = isJson
    ? [JSON.stringify(report, null, 2)]
    : fatal
      ? []
      : linesFrom(rules, settings, report.latencyMs);
  return { lines, faults: fatal ? [fatal] : broken.map(({ id }) => `${id} does not hold`) };
}

function linesFrom(
  rules: readonly Checked[],
  settings: Record<string, string>,
  latencyMs?: number,
): string[] {
  const rows = rules.map(({ state, id, level, section, title }) => [state, id, level, section, title]);
  const others = rules.filter(({ state }) => state !== 'holds');
  const details = others.map((one) => `${one.id} ${one.state}: ${one.found}\n  the gateway: ${one.gateway}`);
  return [
    ...tableFrom(['state', 'rule', 'level', 'section', 'what it says'], rows),
    ...details,
    ...Object.entries(settings).map(([name, value]) => `paste: ${name}=${value}`),
    ...(latencyMs ? [`forecast: portico plan --latency ${latencyMs}ms`] : []),
    `${rules.length - others.length} of ${rules.length} rules hold`,
  ];
}
