import type { Composition } from '../composition.ts';
import type { CoreConfig } from '../config/core.ts';
import { proxyWarnings, readConfiguration, shownSettings } from '../config/settings.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { Found } from './command.ts';
import { allSections } from './help.ts';

/** Returns all faults of the settings and the trusted documents, or what is set, without secrets. */
export async function checkConfiguration<Config extends CoreConfig>(
  composition: Composition<Config>,
): Promise<Found> {
  const { config, misspelt = [], faults = [] } = await readConfiguration(composition.settings);
  if (!config) return { lines: [], faults };
  const checked = await Promise.all(createIdleGateway(config, composition).checks.map((check) => check()));
  const found = checked.flatMap((one) => one.faults);
  const names = allSections(composition.settings).flatMap((section) => Object.keys(section.settings));
  const given = shownSettings(names).map(([name, text]) =>
    text === null ? `${name} is set; the value may be secret` : `${name}=${text}`,
  );
  const lines = [
    'the configuration is valid',
    ...given,
    given.length > 0 ? 'all other settings have their defaults' : 'all settings have their defaults',
    ...misspelt,
    ...checked.flatMap((one) => one.lines),
    ...proxyWarnings(),
  ];
  return { lines: found.length > 0 ? [] : lines, faults: found };
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
