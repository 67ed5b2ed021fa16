import { readSettingsFile } from '../config/file.ts';
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
  const env = readEnv();
  const fromEnv = Object.fromEntries(
    Object.keys(declared).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const inFile = file === undefined ? undefined : await readSettingsFile(file, declared);
  const placeOf = (name: string) =>
    (Object.hasOwn(fromEnv, name) ? undefined : inFile?.places.get(name)) ?? 'environment';
  const located = (fault: string) => {
    const place = placeOf(fault.split(' ', 1)[0] ?? '');
    return place === 'environment' ? fault : `${place}: ${fault}`;
  };
  const given = { ...withoutEmpty(inFile?.texts ?? {}), ...fromEnv };

  const { config, faults = [] } = configFromEnv(given);
  const reference = given.UPSTREAM_URL === undefined ? readReferenceConfig(given) : undefined;
  const found = { given, placeOf, located };
  const judged = [...faults, ...(reference && 'faults' in reference ? reference.faults : [])];
  const allFaults = [...new Set([...(inFile?.faults ?? []), ...judged.map(located)])];
  if (!config || allFaults.length > 0) return { ...found, faults: allFaults };
  return {
    ...found,
    config,
    reference: reference && 'options' in reference ? reference.options : undefined,
  };
}

function withoutEmpty(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}
