import { readFile } from 'node:fs/promises';
import { operations } from '../config/operations.ts';
import { type Config, configFromEnv, readEnv } from '../config.ts';
import type { Fault, OperationPlan, Planner, PlanRequest } from '../operation/explain/planner.ts';
import { createIdleGateway } from './idle-gateway.ts';
import { tableFrom } from './table.ts';

export interface PlanArguments extends PlanRequest {
  /** Documents; a name that ends in `.json` is a manifest of trusted documents. */
  files: readonly string[];
  /** Undefined: `MAX_UPSTREAM_CALLS`. */
  maxCalls: number | undefined;
  isJson: boolean;
}

/** What `portico plan` prints to standard output; and the faults, which make it fail. */
export interface PlanOutput {
  lines: string[];
  faults: string[];
}

/** An operation of a file. */
interface FilePlan extends OperationPlan {
  file: string;
}

/** The settings that decide which documents are valid, and how many calls they make. */
const settingNames = [
  'SITE_ID_PREFIX',
  'INTROSPECTION',
  ...Object.keys({ ...operations.common, ...operations.advanced }),
];

/** Plans the operations of files: needs neither a server nor a key, and calls nothing. */
export async function planFiles(given: PlanArguments): Promise<PlanOutput> {
  const env = readEnv();
  const { config, faults } = configFromEnv(Object.fromEntries(settingNames.map((name) => [name, env[name]])));
  return config ? planWith(config, given) : { lines: [], faults };
}

async function planWith(
  config: Config,
  { files, maxCalls, isJson, ...request }: PlanArguments,
): Promise<PlanOutput> {
  const { planner } = await createIdleGateway(config);
  const results = await Promise.all(files.map((file) => planFile(planner, file, request)));
  const plans = results.flatMap((result) => result.plans);
  const faults = results.flatMap((result) => result.faults);
  const limit = maxCalls ?? config.maxUpstreamCalls;
  if (plans.length === 0 && faults.length === 0) faults.push(nothingFound(request));
  const over = plans.filter(({ atMost }) => atMost > limit).map((plan) => overLimit(plan, limit));
  const lines = isJson ? [JSON.stringify(plans, null, 2)] : linesFrom(plans);
  return { lines, faults: [...faults, ...over] };
}

async function planFile(
  planner: Planner,
  file: string,
  request: PlanRequest,
): Promise<{ plans: FilePlan[]; faults: string[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    // Another text may be a misplaced API key.
    const name = /\.(graphql|gql|json)$/.test(file) ? file : 'a file';
    return { plans: [], faults: [`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`] };
  }
  const isManifest = file.endsWith('.json');
  const { operations, faults } = isManifest
    ? planner.planManifest(text, request)
    : planner.planDocument(text, request);
  return {
    plans: operations.map((operation) => ({ file, ...operation })),
    faults: faults.map((fault) => `${placeOf({ file, ...fault })}: ${fault.message}`),
  };
}

function placeOf({ file, documentId, line, column }: Omit<Fault, 'message'> & { file: string }): string {
  const document = documentId === undefined ? file : `${file} ${JSON.stringify(documentId)}`;
  return line === undefined ? document : `${document}:${line}:${column}`;
}

function overLimit(plan: FilePlan, limit: number): string {
  const { atMost, cost, name } = plan;
  const count = cost.forEach.length > 0 ? `up to ${atMost}` : atMost;
  const calls = atMost === 1 ? 'REST call' : 'REST calls';
  return `${placeOf(plan)}: ${name ?? 'the operation'} makes ${count} ${calls}; at most ${limit} are allowed`;
}

function nothingFound({ operationName }: PlanRequest): string {
  return operationName === undefined
    ? 'there is no operation to plan'
    : // It may be a misplaced API key.
      'there is no operation of the name that is requested';
}

function linesFrom(plans: readonly FilePlan[]): string[] {
  if (plans.length === 0) return [];
  const rows = plans.map((plan) => [
    plan.name ?? placeOf(plan),
    plan.formula,
    plan.cost.forEach.length > 0 ? `at most ${plan.atMost}` : String(plan.atMost),
    plan.assumed.join(', '),
  ]);
  return tableFrom(['operation', 'formula', 'calls', 'assumed'], rows);
}
