import * as z from 'zod';
import { KEY_NAME_LENGTH } from '../keys/keys.ts';

const whole = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback);
const path = z
  .string()
  .regex(/^\/v1(\/[^?#\s]{0,500})?$/, 'must be /v1 or a path below it, without a query')
  .exactOptional();
const keyName = z
  .string()
  .length(KEY_NAME_LENGTH, 'must be the first eight characters of a key, and no more of it')
  .exactOptional();

/** The members of each scenario. Without `path`, all paths are meant; without `key`, all keys. */
const schemas = {
  slow: z.strictObject({ scenario: z.literal('slow'), path, delayMs: whole(1, 60_000, 3_000) }),
  flaky: z.strictObject({
    scenario: z.literal('flaky'),
    path,
    share: z.number().min(0).max(1).default(0.5),
  }),
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

export const scenarioNames = Object.keys(schemas) as ScenarioName[];

const anyScenario = z.discriminatedUnion('scenario', Object.values(schemas) as [typeof schemas.slow], {
  error: `must be one of ${scenarioNames.join(', ')}; {} ends it`,
});

/** The scenario with its defaults, for all paths. */
export function scenarioFromName(name: ScenarioName): Scenario {
  return schemas[name].parse({ scenario: name });
}

/** The scenario in a JSON text; null for `{}`, which ends it; or the fault of the text. */
export function scenarioFromJson(text: string): { scenario: Scenario | null } | { fault: string } {
  if (/^\s*\{\s*\}\s*$/.test(text)) return { scenario: null };
  const { data, error } = anyScenario.safeParse(valueFrom(text));
  return error
    ? { fault: error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ') }
    : { scenario: data };
}

function valueFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
