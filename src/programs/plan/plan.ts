import { createIdleGateway } from '../../command/check.ts';
import { printable, tableFrom } from '../../command/table.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { readOfflineEnv } from '../../config/settings.ts';
import { createPlanner, type Fault, type OperationPlan, type Place } from '../../features/explain/index.ts';
import type { PlanArguments as Given } from './arguments.ts';
import { asSent } from './client-directives.ts';
import { type Change, differenceOf, readBase } from './difference.ts';
import { readDocuments } from './documents.ts';
import { excessOf, forecastOf, forecastTable, type Viewing } from './forecast.ts';

/**
 * Plans the operations of files: needs neither a server nor a key, and calls nothing. Returns what `portico
 * plan` prints to standard output, and the faults, which make it fail.
 */
export async function planFiles<Config extends CoreConfig>(given: Given, composition: Composition<Config>) {
  const { config, faults = [] } = composition.settings.configFromEnv(readOfflineEnv());
  if (!config) return printed({ operations: [], faults: faults.map((message) => ({ message })) }, given, []);
  const planner = createPlanner(createIdleGateway(config, composition).operations, asSent);
  const documents = await readDocuments(given.files);
  const plansLive = given.viewing !== undefined;
  const found = planner.plan(documents.sources, { ...given, plansLive });
  const planned = { ...found, faults: [...documents.faults, ...found.faults] };
  if (found.operations.length + planned.faults.length === 0) planned.faults.push(nothingFound(given));
  if (given.viewing) return forecast(planned, given, given.viewing);
  if (given.against !== undefined) return compare(planned, given, given.against);
  return printed(planned, given, linesFrom(planned.operations));
}

interface Planned {
  operations: readonly OperationPlan[];
  faults: readonly Fault[];
}

/** A text that is no name may be a misplaced API key. */
function nothingFound({ operationName = '' }: Given): Fault {
  return { message: `there is no operation ${isName(operationName) ? operationName : 'to plan'}` };
}

/** Prints a table, or all in JSON with `more`. */
function printed({ operations, faults }: Planned, { isJson }: Given, table: string[], more?: object) {
  const messages = faults.map(lineFrom);
  if (!isJson) return { lines: table, faults: messages };
  // No string of JSON holds a line feed.
  const lines = JSON.stringify({ operations, faults, ...more }, null, 2).split('\n');
  return { lines: lines.map(printable), faults: messages };
}

/** The calls of all viewers. */
function forecast({ operations, faults }: Planned, given: Given, viewing: Viewing) {
  const found = forecastOf(operations, viewing);
  const message = excessOf(found);
  const all = message === undefined ? faults : [...faults, { message }];
  return printed({ operations, faults: all }, given, forecastTable(found), { forecast: found });
}

async function compare({ operations, faults }: Planned, given: Given, against: string) {
  const base = await readBase(against);
  if (typeof base === 'string') return { lines: [], faults: [`--against: ${base}`] };
  const { operationName } = given;
  const changes = differenceOf(base, operations).filter(
    ({ name, kind }) =>
      // An older output has all operations.
      (operationName === undefined || name === operationName) &&
      // An operation with a fault is not planned, and not gone.
      (kind !== 'gone' || faults.length === 0),
  );
  const all = [...faults, ...changes.flatMap((change) => increaseFault(change, given))];
  return printed({ operations, faults: all }, given, tableOf(changes), { changes });
}

function tableOf(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['No operation makes more or fewer REST calls than in the base.'];
  const rows = changes.map(({ kind, name, before, after, calls, ...place }) => {
    const difference = calls > 0 ? `+${calls}` : `${calls}`;
    return [kind, name ?? placeFrom(place), before ?? '', after ?? '', difference];
  });
  return tableFrom(['change', 'operation', 'before', 'after', 'calls'], rows);
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

/** True for a name in GraphQL that is no longer than people write them: another text may be a misplaced key. */
function isName(text: string): boolean {
  return /^[_a-z]\w{0,99}$/i.test(text);
}
