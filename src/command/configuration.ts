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

export type Configuration =
  | {
      config: Config;
      /** Undefined where `UPSTREAM_URL` names another upstream. */
      reference: Extract<ReferenceConfig, { options: unknown }>['options'] | undefined;
      faults?: never;
    }
  | { config?: never; reference?: never; faults: string[] };

/** Reads all settings of the gateway and of the embedded reference from the environment, or returns all their faults. */
export function readConfiguration(): Configuration {
  const env = readEnv();
  const { config, faults: gatewayFaults = [] } = configFromEnv(env);
  const embedded = env.UPSTREAM_URL ? undefined : readReferenceConfig(env);
  const embeddedFaults = embedded && 'faults' in embedded ? embedded.faults : [];
  const faults = [...new Set([...gatewayFaults, ...embeddedFaults])];
  if (!config || faults.length > 0) return { faults };
  return { config, reference: embedded && 'options' in embedded ? embedded.options : undefined };
}
