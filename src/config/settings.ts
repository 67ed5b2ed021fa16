import * as z from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import type { Declared, Given, Values } from './declaration.ts';

export const { version } = manifest;

/** The settings of each heading of the help and of docs/settings.md. */
export type Sections = Readonly<Record<string, Declared>>;

export interface Settings<Config> {
  sections: Sections;
  /** Reads every setting; an empty one counts as unset. Each fault begins with the name of its setting. */
  configFromEnv(env: Given): Read<Config>;
  /** Returns lines that name variables without effect. */
  warningsOf(env: Given): string[];
}

type Read<Config> = { config: Config; faults?: undefined } | { config?: undefined; faults: string[] };

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
  warningsOf: Settings<Config>['warningsOf'],
): Settings<Config> {
  const object = z.object(Object.assign({}, ...Object.values(sections)) as Declared);
  return {
    sections,
    warningsOf,
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

/** Reads all settings, those of the embedded reference too if it is used: the configuration, or all faults. */
export async function readConfiguration<Config>({ sections, configFromEnv, warningsOf }: Settings<Config>) {
  const env = readEnv();
  const { config, faults: gatewayFaults = [] } = configFromEnv(env);
  const { readReferenceConfig, referenceSettings } = env.UPSTREAM_URL
    ? {}
    : await import('../../reference/config.ts');
  const embedded = readReferenceConfig?.(env) ?? { options: undefined };
  const faults = [...gatewayFaults, ...('faults' in embedded ? embedded.faults : [])];
  const names = [
    ...Object.values(sections).flatMap((settings) => Object.keys(settings)),
    ...Object.keys(referenceSettings?.shape ?? {}),
  ];
  const misspelt = misspeltIn(env, names);
  if (!config || 'faults' in embedded) return { faults: [...new Set([...faults, ...misspelt])] };
  const warnings = [...misspelt, ...warningsOf(env)];
  return { config, reference: embedded.options, warnings, given: shownSettings(names, env) };
}

/** Returns a line for each variable that is no setting, but has the name of one up to two letters or the unit. */
function misspeltIn(env: Given, names: readonly string[]): string[] {
  const withoutUnit = (name: string) => name.toUpperCase().replace(/_(MS|S|BYTES)$/, '');
  const others = Object.keys(env).filter((given) => !names.includes(given));
  return others.flatMap((given) => {
    // Two letters only in a long name: in each environment is a HOME.
    const isNear = (edits: number) => (name: string) =>
      (edits < 2 || name.length >= 8) &&
      (isWithin(edits, given, name) || isWithin(edits, withoutUnit(given), withoutUnit(name)));
    const [meant] = [0, 1, 2].flatMap((edits) => names.find(isNear(edits)) ?? []);
    return meant ? [`${given} is no setting: is it ${meant}?`] : [];
  });
}

/** True if at most `edits` letters have to be inserted, removed or replaced to make one text the other (Levenshtein). */
function isWithin(edits: number, one: string, other: string): boolean {
  if (one === other) return true;
  const equal = [...one, ''].findIndex((letter, n) => letter !== other[n]);
  const [a, b] = [one.slice(equal), other.slice(equal)];
  const next = (rest: string, others: string) => isWithin(edits - 1, rest, others);
  return edits > 0 && (next(a.slice(1), b) || next(a, b.slice(1)) || next(a.slice(1), b.slice(1)));
}

/** Credentials in a URL end with `@`; those in a query or a list of fields follow a `=`. */
const PLAIN = /^([^@=?#%;\s\p{Cc}]|, )+$/u;
const SECRET_NAME = /KEY|SECRET|TOKEN$|PASSWORD|HEADERS|CREDENTIAL/;

/** The given settings with their texts; null in place of one that may be secret. */
function shownSettings(names: readonly string[], env: Given): [string, string | null][] {
  const isShown = (name: string, text: string) => PLAIN.test(text) && !SECRET_NAME.test(name);
  return names.flatMap((name) => {
    const text = env[name];
    return text ? [[name, isShown(name, text) ? text : null]] : [];
  });
}

/** The environment for a command that calls no REST API: its address and production's defaults do not count. */
export function readOfflineEnv(): Given {
  return { ...readEnv(), NODE_ENV: undefined, UPSTREAM_URL: undefined };
}

/** The only place that reads the environment of the process. */
export function readEnv(): NodeJS.ProcessEnv {
  return process.env;
}
