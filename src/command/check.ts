import type { Composition } from '../composition.ts';
import type { CoreConfig } from '../config/core.ts';
import { readConfiguration } from '../config/settings.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { Command, Found } from './command.ts';

export const checkConfig: Command = {
  name: 'check-config',
  summary: 'report all faults of the settings and exit',
  usage: 'check-config',
  about: `Reports all faults of the settings and of the trusted documents, and exits: with 0 if there is none,
with 1 otherwise. It opens no port and no connection. portico --help names the settings.`,
  options: {},
  run: (_, composition) => checkConfiguration(composition),
};

/** Returns all faults of the settings and the trusted documents, or what is set, without secrets. */
export async function checkConfiguration<Config extends CoreConfig>(
  composition: Composition<Config>,
): Promise<Found> {
  const { config, warnings, given, faults } = await readConfiguration(composition.settings);
  if (faults) return { lines: [], faults };
  const checked = await Promise.all(createIdleGateway(config, composition).checks.map((check) => check()));
  const found = checked.flatMap((one) => one.faults);
  const lines = [
    'the configuration is valid',
    ...given.map(([name, text]) => (text ? `${name}=${text}` : `${name} is set; the value may be secret`)),
    given.length > 0 ? 'all other settings have their defaults' : 'all settings have their defaults',
    ...warnings,
    ...checked.flatMap((one) => one.lines),
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
