import { type FileSettings, readSettingsFile } from '../config/file.ts';
import { settings } from '../config/settings.ts';
import { type Config, configFromEnv, readEnv } from '../config.ts';
import { type ReferenceConfig, readReferenceConfig, referenceSettings } from '../reference/config.ts';

/** The gateway's settings, then those that only the reference has. */
export const declared = { ...settings.shape, ...referenceSettings.shape, ...settings.shape };

/** What was found, before it is judged. */
interface Found {
  /** The text of each setting that is set. */
  given: Readonly<Record<string, string>>;
  /** Where that stands: `environment`, or `portico.yaml:3`. */
  placeOf(name: string): string;
  /** A fault that begins with a setting's name, with its place in front where that is in the file. */
  located(fault: string): string;
}

export type Configuration = Found &
  (
    | {
        config: Config;
        /** Absent where another upstream is named. */
        reference: Extract<ReferenceConfig, { options: unknown }>['options'] | undefined;
        faults?: never;
      }
    | { config?: never; reference?: never; faults: string[] }
  );

/**
 * Reads all settings, from the environment and from the file if there is one; what the environment has wins. May be
 * called again, for what the file has by then. Does not reject: every fault there is comes in one list.
 */
export async function readConfiguration(file: string | undefined): Promise<Configuration> {
  return configurationFrom(
    readEnv(),
    file === undefined ? emptyFile : await readSettingsFile(file, declared),
  );
}

const emptyFile: FileSettings = { texts: {}, places: new Map(), faults: [] };

/** What both say together. One setting that is empty is unset, and leaves the other in force. */
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
  const found = { given, located, placeOf: (name: string) => placeInFile(name) ?? 'environment' };

  const { config, faults: gatewayFaults = [] } = configFromEnv(given);
  const embedded = given.UPSTREAM_URL === undefined ? readReferenceConfig(given) : undefined;
  const embeddedFaults = embedded && 'faults' in embedded ? embedded.faults : [];
  const faults = [...new Set([...file.faults, ...[...gatewayFaults, ...embeddedFaults].map(located)])];
  if (!config || faults.length > 0) return { ...found, faults };
  return { ...found, config, reference: embedded && 'options' in embedded ? embedded.options : undefined };
}
