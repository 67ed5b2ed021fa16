import { z } from 'zod';
import { KEY_NAME_LENGTH } from '../keys/keys.ts';

const whole = (min: number, max: number, fallback: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error).default(fallback);
};
const path = z
  .string('must be /v1 or a path below it')
  .regex(/^\/v1(\/[^?#\s]{0,500})?$/, 'must be /v1 or a path below it, without a query')
  .exactOptional();
const keyName = z
  .string('must be the first eight characters of a key')
  .length(KEY_NAME_LENGTH, 'must be the first eight characters of a key, and no more of it')
  .exactOptional();
const share = 'must be a number from 0 to 1';

/** The members of each scenario. Without `path`, all paths are meant. */
const schemas = {
  slow: z.strictObject({ scenario: z.literal('slow'), path, delayMs: whole(1, 60_000, 3_000) }),
  flaky: z.strictObject({
    scenario: z.literal('flaky'),
    path,
    share: z.number(share).min(0, share).max(1, share).default(0.5),
  }),
  /** Without `key`, every key is limited. */
  limited: z.strictObject({
    scenario: z.literal('limited'),
    path,
    key: keyName,
    retryAfterS: whole(1, 3_600, 30),
  }),
  down: z.strictObject({ scenario: z.literal('down'), path }),
  drifting: z.strictObject({ scenario: z.literal('drifting'), path }),
  sunset: z.strictObject({
    scenario: z.literal('sunset'),
    path,
    remaining: whole(0, 1_000_000_000, 3),
    days: whole(0, 3_650, 30),
  }),
};

export type ScenarioName = keyof typeof schemas;

/** How the API misbehaves. */
export type Scenario = { [Name in ScenarioName]: z.output<(typeof schemas)[Name]> }[ScenarioName];

export const scenarioNames = Object.keys(schemas).filter(isScenarioName);

function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(schemas, name);
}

/** The scenario with its defaults, for all paths. */
export function scenarioFromName(name: ScenarioName): Scenario {
  return schemas[name].parse({ scenario: name });
}

/** The scenario in a JSON text; null for `{}`, which ends it; or what the text must be. */
export function scenarioFromJson(text: string): { scenario: Scenario | null } | { fault: string } {
  const value = valueFrom(text);
  if (!value) return { fault: 'the body must be a JSON object' };
  if (Object.keys(value).length === 0) return { scenario: null };
  const { scenario: name } = value;
  if (typeof name !== 'string' || !isScenarioName(name)) {
    return { fault: `scenario must be one of ${scenarioNames.join(', ')}; {} ends it` };
  }
  const { data, error } = schemas[name].safeParse(value);
  if (data) return { scenario: data };
  return { fault: error.issues.map((issue) => faultFrom(issue, name)).join('; ') };
}

function valueFrom(text: string): Record<string, unknown> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function faultFrom(issue: z.core.$ZodIssue, name: ScenarioName): string {
  if (issue.code !== 'unrecognized_keys') return `${issue.path.join('.')} ${issue.message}`;
  return `the members of ${name} are ${Object.keys(schemas[name].shape).join(', ')}`;
}
