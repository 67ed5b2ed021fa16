import { live, operations } from '../config/settings.ts';
import { configFromEnv, readEnv } from '../config.ts';
import type { Fault, OperationPlan, Place, PlanRequest } from '../operation/explain/planner.ts';
import type { Command } from './arguments.ts';
import { createIdleGateway } from './check.ts';
import { disk, readDocuments } from './documents.ts';
import { tableFrom } from './table.ts';

/** The settings that decide which documents are valid, and how many calls they make. */
const settingNames = ['SITE_ID_PREFIX', 'INTROSPECTION', ...Object.keys({ ...operations, ...live })];

/**
 * Plans the operations of files: needs neither a server nor a key, and calls nothing. Returns what `portico
 * plan` prints to standard output, and the faults, which make it fail.
 */
export async function planFiles({ files, isJson, ...request }: Extract<Command, { name: 'plan' }>['given']) {
  const { operations, faults } = await planDocuments(files, request);
  const lines = isJson ? [JSON.stringify({ operations, faults }, null, 2)] : linesFrom(operations);
  return { lines, faults: faults.map(lineFrom) };
}

async function planDocuments(files: readonly string[], request: PlanRequest) {
  const env = readEnv();
  const { config, faults } = configFromEnv(Object.fromEntries(settingNames.map((name) => [name, env[name]])));
  if (!config) return { operations: [], faults: faults.map((message): Fault => ({ message })) };
  const { planner } = createIdleGateway(config);
  const documents = await readDocuments(files, disk);
  const planned = planner.plan(documents.sources, request);
  const all = [...documents.faults, ...planned.faults];
  if (planned.operations.length === 0 && all.length === 0) all.push(nothingFound(request));
  return { operations: planned.operations, faults: all };
}

function nothingFound({ operationName: name }: PlanRequest): Fault {
  if (name === undefined) return { message: 'there is no operation to plan' };
  // What is no name may be a misplaced API key.
  const isName = /^[_a-z][_0-9a-z]{0,99}$/i.test(name);
  return { message: `there is no operation ${isName ? name : 'of the name that is requested'}` };
}

function lineFrom({ message, ...place }: Fault): string {
  return place.file === undefined ? message : `${placeFrom(place)}: ${message}`;
}

function placeFrom({ file, documentId, line, column }: Partial<Place>): string {
  const position = line === undefined ? `${file}` : `${file}:${line}:${column}`;
  return documentId === undefined ? position : `${position} ${JSON.stringify(documentId)}`;
}

function linesFrom(plans: readonly OperationPlan[]): string[] {
  if (plans.length === 0) return [];
  const rows = plans.map((plan) => [
    plan.name ?? placeFrom(plan),
    plan.formula,
    callsOf(plan),
    plan.assumed.join(', '),
  ]);
  return tableFrom(['operation', 'formula', 'calls', 'assumed'], rows);
}

function callsOf({ cost, atMost, live }: OperationPlan): string {
  const count = live ? `${live.atMostPerMinute} a minute` : String(atMost);
  return cost.forEach.length > 0 ? `at most ${count}` : count;
}
