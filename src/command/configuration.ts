import type { FileSettings } from '../config/file.ts';
import { type Section, settings, sections as settingsSections } from '../config/settings.ts';
import { type Config, configFromEnv, readEnv } from '../config.ts';
import { type ReferenceConfig, readReferenceConfig, referenceSettings } from '../reference/config.ts';

const referenceOnly = Object.fromEntries(
  Object.entries(referenceSettings.shape).filter(([name]) => !Object.hasOwn(settings.shape, name)),
);

/** Every setting by heading: those of the gateway, then those of the reference alone. */
export const sections: readonly Section[] = [
  ...settingsSections,
  { heading: 'Reference', common: {}, advanced: referenceOnly },
];

export const declared = { ...settings.shape, ...referenceSettings.shape, ...settings.shape };

/** What the environment and the file say together, before it is validated. */
interface Source {
  /** The text of each setting that is set. */
  given: Readonly<Record<string, string>>;
  /** The place where a setting is set: `environment`, or `portico.yaml:3`. */
  placeOf(name: string): string;
  /** Puts the place in front of a fault that begins with the name of a setting in the file. */
  located(fault: string): string;
}

export type Configuration = Source &
  (
    | {
        config: Config;
        /** Undefined where `UPSTREAM_URL` names another upstream. */
        reference: Extract<ReferenceConfig, { options: unknown }>['options'] | undefined;
        faults?: never;
      }
    | { config?: never; reference?: never; faults: string[] }
  );

const noFile: FileSettings = { texts: {}, places: new Map(), faults: [] };

/**
 * Reads all settings from the environment and, if there is one, the file. A second call reads the file again. Does not
 * reject: it resolves to a list of all faults.
 */
export async function readConfiguration(file: string | undefined): Promise<Configuration> {
  if (file === undefined) return configurationFrom(readEnv(), noFile);
  // Imported only here: without a file its library is not needed.
  const { readSettingsFile } = await import('../config/file.ts');
  return configurationFrom(readEnv(), await readSettingsFile(file, declared));
}

/** Merges the two; the environment overrides the file. An empty setting is unset in either. */
export function configurationFrom(env: NodeJS.ProcessEnv, file: FileSettings): Configuration {
  const fromEnv = new Map(
    Object.keys(declared).flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])),
  );
  const fromFile = Object.entries(file.texts).filter(([, text]) => text !== '');
  const given = Object.fromEntries([...fromFile, ...fromEnv]);
  const placeInFile = (name: string) => (fromEnv.has(name) ? undefined : file.places.get(name));
  const located = (fault: string) => {
    const place = placeInFile(fault.split(' ', 1)[0] ?? '');
    return place === undefined ? fault : `${place}: ${fault}`;
  };
  const source = { given, located, placeOf: (name: string) => placeInFile(name) ?? 'environment' };

  const { config, faults: gatewayFaults = [] } = configFromEnv(given);
  const embedded = given.UPSTREAM_URL === undefined ? readReferenceConfig(given) : undefined;
  const embeddedFaults = embedded && 'faults' in embedded ? embedded.faults : [];
  const faults = [...new Set([...file.faults, ...[...gatewayFaults, ...embeddedFaults].map(located)])];
  if (!config || faults.length > 0) return { ...source, faults };
  return { ...source, config, reference: embedded && 'options' in embedded ? embedded.options : undefined };
}
