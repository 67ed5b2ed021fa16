import { z } from 'zod';
import type { Declared, Given, Values } from './declaration.ts';

/** A heading of the help and of docs/settings.md. */
export interface Section {
  heading: string;
  settings: Declared;
}

export interface Settings<Config> {
  sections: readonly Section[];
  /**
   * Reads every setting; an empty one counts as unset. Returns either a whole configuration or all its faults,
   * each of which begins with the name of its setting.
   */
  configFromEnv(env: Given): Read<Config>;
}

type Read<Config> = { config: Config; faults?: undefined } | { config?: undefined; faults: string[] };

/** The settings of each heading. */
type Sections = Readonly<Record<string, Declared>>;

/** The values of the settings of all headings. */
export type SectionValues<S extends Sections> = Values<AllOf<S[keyof S]>>;

type AllOf<T> = (T extends unknown ? (one: T) => void : never) extends (
  all: infer All extends Declared,
) => void
  ? All
  : never;

/** Each of `contradictions` returns what is wrong with settings that are valid one by one. */
export function createSettings<S extends Sections, Config>(
  sections: S,
  configFrom: (values: SectionValues<S>) => Config,
  contradictions: readonly ((given: Given) => string[])[],
): Settings<Config> {
  const object = z.object(Object.assign({}, ...Object.values(sections)) as Declared);
  return {
    sections: Object.entries(sections).map(([heading, settings]) => ({ heading, settings })),
    configFromEnv(env) {
      const given = Object.fromEntries(
        Object.entries(env).filter(([, text]) => text !== undefined && text !== ''),
      );
      const { data, error } = object.safeParse(given);
      const faults = (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
      faults.push(...contradictions.flatMap((faultsOf) => faultsOf(given)));
      return data && faults.length === 0 ? { config: configFrom(data as SectionValues<S>) } : { faults };
    },
  };
}

/**
 * Reads all settings of the gateway and, unless `UPSTREAM_URL` names another upstream, those of the embedded
 * reference. Returns all their faults if there are any.
 */
export async function readConfiguration<Config>({ configFromEnv }: Settings<Config>) {
  const env = readEnv();
  const { config, faults: gatewayFaults = [] } = configFromEnv(env);
  const embedded = env.UPSTREAM_URL
    ? { options: undefined }
    : (await import('../../reference/config.ts')).readReferenceConfig(env);
  const faults = [...gatewayFaults, ...('faults' in embedded ? embedded.faults : [])];
  if (!config || 'faults' in embedded) return { faults: [...new Set(faults)] };
  return { config, reference: embedded.options };
}

/** The environment for a command that calls no REST API: its address and production's defaults do not count. */
export function readOfflineEnv(): Given {
  return { ...readEnv(), NODE_ENV: undefined, UPSTREAM_URL: undefined };
}

const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** A line if the environment names a proxy, which REST calls do not use. */
export function proxyWarnings(env: Given = readEnv()): string[] {
  const names = proxyNames.filter((name) => env[name]).join(', ');
  return env.UPSTREAM_URL && names !== ''
    ? [`${names} has no effect: the gateway calls UPSTREAM_URL without a proxy`]
    : [];
}

/** The only place that reads the environment of the process. */
export function readEnv(): NodeJS.ProcessEnv {
  return process.env;
}
