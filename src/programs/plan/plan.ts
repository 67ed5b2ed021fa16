import { createIdleGateway } from '../../command/check.ts';
import { printable, tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { isPlanning } from '../../config/declaration.ts';
import {
  createPlanner,
  type Fault,
  type OperationPlan,
  type Place,
  type Planner,
  type PlanRequest,
} from '../../features/explain/index.ts';
import { isName } from '../../operation/request.ts';
import type { PlanArguments as Given } from './arguments.ts';
import { readBase } from './base.ts';
import { type Change, differenceOf, isComplete } from './difference.ts';
import { disk, readDocuments } from './documents.ts';
import { markdownTable } from './markdown.ts';

/**
 * Plans the operations of files: needs neither a server nor a key, and calls nothing. Returns what `portico
 * plan` prints to standard output, and the faults, which make it fail.
 */
export async function planFiles<Config extends CoreConfig>(given: Given, composition: Composition<Config>) {
  const { readMarked, configFromEnv } = composition.settings;
  const { config, faults = [] } = configFromEnv(readMarked(isPlanning));
  if (!config) return printed({ operations: [], faults: faults.map((message) => ({ message })) }, given);
  const planner = createPlanner(createIdleGateway(config, composition).operations);
  const planned = await planDocuments(planner, given);
  return given.against === undefined ? printed(planned, given) : compare(planned, planner, given);
}

interface Planned {
  operations: readonly OperationPlan[];
  faults: readonly Fault[];
}

async function planDocuments(planner: Planner, given: Given): Promise<Planned> {
  const documents = await readDocuments(given.files, disk);
  const { operations, faults } = planner.plan(documents.sources, given);
  const all = [...documents.faults, ...faults];
  if (operations.length === 0 && all.length === 0) {
    const any = planner.plan(documents.sources, { ...given, operationName: undefined });
    all.push(nothingFound(given, any.operations));
  }
  return { operations, faults: all };
}

function nothingFound({ operationName }: PlanRequest, others: readonly OperationPlan[]): Fault {
  if (operationName === undefined || others.length === 0) return { message: 'there is no operation to plan' };
  // What is no name may be a misplaced API key.
  const name = isName(operationName) ? operationName : 'of the name that is requested';
  const names = others.slice(0, MAX_LISTED).map((plan) => plan.name ?? 'one without a name');
  const more = others.length > MAX_LISTED ? ` and ${others.length - MAX_LISTED} more` : '';
  return { message: `there is no operation ${name}; those of the files: ${names.join(', ')}${more}` };
}

/** Names in a message. */
const MAX_LISTED = 5;

function printed({ operations, faults }: Planned, { isJson }: Given) {
  const lines = isJson ? jsonLinesFrom({ operations, faults }) : linesFrom(operations);
  return { lines, faults: faults.map(lineFrom) };
}

/** What differs from the base. `isMisuse`: the base cannot be read, which is a fault of the arguments. */
async function compare(planned: Planned, planner: Planner, given: Given) {
  const { against = '', files, operationName, isJson } = given;
  const base = await readBase(against, files, (sources) => planner.plan(sources, given));
  if (typeof base === 'string')
    return { lines: [], faults: [printable(`--against: ${base}`)], isMisuse: true };
  const changes = differenceOf(base, planned).filter(
    // An older output has all operations.
    ({ name }) => operationName === undefined || name === operationName,
  );
  const faults = [...planned.faults, ...changes.flatMap((change) => increaseFault(change, given))];
  const messages = faults.map(lineFrom);
  const lines = isJson
    ? jsonLinesFrom({ ...planned, faults, changes })
    : [
        ...tablesFrom(changes, messages, given),
        ...(isComplete(base) ? [] : ['', 'Operations with a fault in the base count as new.']),
      ];
  return { lines, faults: messages };
}

/** The changes as a table; in Markdown with the faults, which are not beside it in a comment. */
function tablesFrom(changes: readonly Change[], faults: readonly string[], { isMarkdown }: Given): string[] {
  const heading = ['change', 'operation', 'before', 'after', 'calls'];
  const rows = changes.map(({ kind, name, before, after, calls, ...place }) => {
    const difference = calls > 0 ? `+${calls}` : `${calls}`;
    return [kind, name ?? placeFrom(place), before ?? '', after ?? '', difference];
  });
  const unchanged = 'No operation makes more or fewer REST calls than in the base.';
  const faultRows = isMarkdown ? faults.map((fault) => [fault]) : [];
  return [
    ...(rows.length > 0 ? (isMarkdown ? markdownTable : tableFrom)(heading, rows) : [unchanged]),
    ...(faultRows.length > 0 ? ['', ...markdownTable(['fault'], faultRows)] : []),
  ];
}

/** A new operation has no base: it is limited by `--max-calls` alone. */
function increaseFault(change: Change, { maxIncrease = Infinity }: Given): Fault[] {
  const { kind, calls, name, before, after, ...place } = change;
  if (kind !== 'dearer' || calls <= maxIncrease) return [];
  const excess = `${calls} REST calls more than in the base; at most ${maxIncrease} are allowed.`;
  return [{ ...place, message: `${name ?? 'the operation'} makes up to ${excess}` }];
}

function lineFrom({ message, ...place }: Fault): string {
  return printable(place.file === undefined ? message : `${placeFrom(place)}: ${message}`);
}

/** No string of JSON holds a line feed. */
function jsonLinesFrom(json: object): string[] {
  return JSON.stringify(json, null, 2).split('\n').map(printable);
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
