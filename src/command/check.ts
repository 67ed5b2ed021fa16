import type { Composition } from '../composition.ts';
import type { CoreConfig } from '../config/core.ts';
import { isValidating } from '../config/declaration.ts';
import { readConfiguration, readEnv, type Settings } from '../config.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { Found } from './command.ts';
import { allSections } from './help.ts';

/**
 * Reads the settings and the trusted documents, as the gateway does before it serves. Opens no port. Returns
 * all faults, or a summary of what is set, without secrets.
 */
export async function checkConfiguration<Config extends CoreConfig>(
  composition: Composition<Config>,
): Promise<Found> {
  const { faults = [] } = await readConfiguration(composition.settings);
  const checked = await runChecks(composition);
  const all = [...faults, ...checked.faults];
  const lines = [
    'the configuration is valid',
    ...linesFrom(readEnv(), composition.settings),
    ...checked.lines,
  ];
  return { lines: all.length > 0 ? [] : lines, faults: all };
}

/** A gateway for what needs no upstream: it neither serves nor connects. */
export function createIdleGateway<Config extends CoreConfig>(
  config: Config,
  composition: Composition<Config>,
): Gateway {
  return createGateway({
    composition,
    config,
    upstreamUrl: new URL('http://127.0.0.1'),
    example: { apiKey: '', siteId: '', conversationId: '' },
  });
}

/** Reads what features read at the start, even if settings that do not concern it have faults. */
async function runChecks<Config extends CoreConfig>(composition: Composition<Config>): Promise<Found> {
  const { readMarked, configFromEnv } = composition.settings;
  // Production requires the address, which is not used here.
  const others = { NODE_ENV: readEnv().NODE_ENV, UPSTREAM_URL: 'http://127.0.0.1' };
  const { config } = configFromEnv({ ...readMarked(isValidating), ...others });
  if (!config) return { lines: [], faults: [] };
  const checks = createIdleGateway(config, composition).checks.map((check) => check());
  const found = await Promise.all(checks);
  return { lines: found.flatMap(({ lines }) => lines), faults: found.flatMap(({ faults }) => faults) };
}

function linesFrom(env: NodeJS.ProcessEnv, settings: Settings<unknown>): string[] {
  const names = allSections(settings).flatMap((section) => Object.keys(section.settings));
  const lines = names.flatMap((name) => (env[name] ? [lineFrom(name, env[name])] : []));
  return [
    ...lines,
    lines.length > 0 ? 'all other settings have their defaults' : 'all settings have their defaults',
  ];
}

/** Credentials in a URL end with `@`; those in a query or a list of fields follow a `=`. */
const PLAIN = /^([^@=?#%;\s\p{Cc}]|, )+$/u;
const SECRET_NAME = /KEY|SECRET|TOKEN$|PASSWORD|HEADERS|CREDENTIAL/;

function lineFrom(name: string, text: string): string {
  const isPlain = PLAIN.test(text) && !SECRET_NAME.test(name);
  return isPlain ? `${name}=${text}` : `${name} is set; the value may be secret`;
}
