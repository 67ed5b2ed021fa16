import { createIdleGateway } from '../../command/check.ts';
import { printable, tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readOfflineEnv } from '../../config/settings.ts';
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
import { asSent } from './client-directives.ts';
import { type Change, differenceOf, isComplete, readBase } from './difference.ts';
import { readDocuments } from './documents.ts';
import { excessOf, firstOf, forecastOf, forecastTable } from './forecast.ts';
import { markdownTable } from './markdown.ts';
import { readViewers, type Viewing } from './viewers.ts';

/**
 * Plans the operations of files: needs neither a server nor a key, and calls nothing. Returns what `portico
 * plan` prints to standard output, and the faults, which make it fail.
 */
export async function planFiles<Config extends CoreConfig>(given: Given, composition: Composition<Config>) {
  const { config, faults = [] } = composition.settings.configFromEnv(readOfflineEnv());
  if (!config) {
    const found = { operations: [], faults: faults.map((message) => ({ message })) };
    return printed(found, { ...given, isMarkdown: false }, []);
  }
  const planner = createPlanner(createIdleGateway(config, composition).operations, asSent);
  const planned = await planDocuments(planner, given);
  if (given.viewing) return forecast(planned, given, given.viewing);
  if (given.against !== undefined) return compare(planned, given);
  return printed(planned, given, linesFrom(planned.operations));
}

interface Planned {
  operations: readonly OperationPlan[];
  faults: readonly Fault[];
}

async function planDocuments(planner: Planner, given: Given): Promise<Planned> {
  const documents = await readDocuments(given.files);
  const plansLive = given.viewing !== undefined;
  const { operations, faults } = planner.plan(documents.sources, { ...given, plansLive });
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
  const names = firstOf(others.map((plan) => plan.name ?? 'one without a name'));
  return { message: `there is no operation ${name}; those of the files: ${names}` };
}

/** What is printed: a table, its faults in Markdown and a `note`, or all in JSON with `more`. */
function printed(
  { operations, faults }: Planned,
  { isJson, isMarkdown }: Given,
  table: string[],
  more?: object,
  note: string[] = [],
) {
  const messages = faults.map(lineFrom);
  if (isJson) {
    // No string of JSON holds a line feed.
    const lines = JSON.stringify({ operations, faults, ...more }, null, 2).split('\n');
    return { lines: lines.map(printable), faults: messages };
  }
  // In a comment the faults are not beside the table.
  const rows = isMarkdown ? messages.map((message) => [message]) : [];
  const faultTable = rows.length > 0 ? ['', ...markdownTable(['fault'], rows)] : [];
  return { lines: [...table, ...faultTable, ...note], faults: messages };
}

/** A file that an argument names has a fault, or the argument itself. */
function misuse(fault: string) {
  return { lines: [], faults: [fault], isMisuse: true };
}

/** The calls of all viewers. */
async function forecast(planned: Planned, given: Given, viewing: NonNullable<Given['viewing']>) {
  const { viewers, everyMs, latencyMs, limitPerMinute } = viewing;
  const listed = everyMs === undefined ? await readViewers(viewers) : new Map<string, Viewing>();
  if (typeof listed === 'string') return misuse(`--viewers: ${listed}`);
  const unknown = [...listed.keys()].find((name) => planned.operations.every((plan) => plan.name !== name));
  // An operation with a fault is not planned, and neither is another one than that of `--operation`.
  const isWhole = isComplete(planned) && given.operationName === undefined;
  if (isWhole && unknown !== undefined) return misuse(`--viewers: there is no operation ${unknown}`);
  const found = forecastOf(planned.operations, latencyMs, ({ name }) =>
    everyMs === undefined ? listed.get(name ?? '') : { viewers: Number(viewers), everyMs },
  );
  const excess = excessOf(found, limitPerMinute);
  const faults = excess === undefined ? planned.faults : [...planned.faults, { message: excess }];
  const table = forecastTable(found, given.isMarkdown, limitPerMinute);
  return printed({ ...planned, faults }, given, table, { forecast: { ...found, limitPerMinute } });
}

/** What differs from the base. */
async function compare(planned: Planned, given: Given) {
  const { against = '', operationName } = given;
  const base = await readBase(against);
  if (typeof base === 'string') return misuse(`--against: ${base}`);
  const changes = differenceOf(base, planned).filter(
    // An older output has all operations.
    ({ name }) => operationName === undefined || name === operationName,
  );
  const faults = [...planned.faults, ...changes.flatMap((change) => increaseFault(change, given))];
  const note = isComplete(base) ? [] : ['', 'Operations with a fault in the base count as new.'];
  return printed({ ...planned, faults }, given, tableOf(changes, given), { changes }, note);
}

function tableOf(changes: readonly Change[], { isMarkdown }: Given): string[] {
  const heading = ['change', 'operation', 'before', 'after', 'calls'];
  const rows = changes.map(({ kind, name, before, after, calls, ...place }) => {
    const difference = calls > 0 ? `+${calls}` : `${calls}`;
    return [kind, name ?? placeFrom(place), before ?? '', after ?? '', difference];
  });
  const unchanged = 'No operation makes more or fewer REST calls than in the base.';
  return rows.length > 0 ? (isMarkdown ? markdownTable : tableFrom)(heading, rows) : [unchanged];
}

/** A new operation has no base: it is limited by `--max-calls` alone. */
function increaseFault(change: Change, { maxIncrease = Infinity }: Given): Fault[] {
  const { kind, calls, name, before, after, ...place } = change;
  if (kind !== 'dearer' || calls <= maxIncrease) return [];
  const excess = `${calls} REST calls more than in the base; at most ${maxIncrease} are allowed.`;
  return [{ ...place, message: `${name ?? 'the operation'} makes up to ${excess}` }];
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
