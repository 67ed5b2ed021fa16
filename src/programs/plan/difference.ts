import { z } from 'zod';
import { type Cost, formulaOf, listNamesOf, type Place } from '../../features/explain/index.ts';
import { isObject, parse } from '../../rest/json.ts';
import { readText } from './documents.ts';

const count = z.int().nonnegative();

/** What a comparison reads of a plan. The names are no other texts than GraphQL has. */
const plannedOperation = z.object({
  /** Null where the operation has no name. */
  name: z.stringFormat('name', /^[_a-z]\w*$/i).nullable(),
  ...{ file: z.string(), documentId: z.string().exactOptional(), line: count, column: count },
  calls: z.array(z.unknown()),
  cost: z.object({
    forEach: z.array(z.object({ list: z.stringFormat('path', /^[\w.]+$/), calls: count.positive() })),
    ...{ known: count, limit: count },
  }),
  /** Of a live query, whose calls are those of one round. */
  live: z.object({ everySeconds: z.number().positive() }).exactOptional(),
  exceeded: z.custom<object>(isObject).exactOptional(),
});

type PlannedOperation = z.output<typeof plannedOperation>;

export interface PlannedOperations {
  operations: readonly PlannedOperation[];
  faults: readonly unknown[];
}

const output = z.object({ operations: z.array(plannedOperation), faults: z.array(z.unknown()) });

/** Reads an older output of `--json`. Returns the reason if it cannot. */
export async function readBase(file: string): Promise<PlannedOperations | string> {
  const text = await readText(file).catch((error: NodeJS.ErrnoException) => error);
  if (text instanceof Error) return `the file cannot be read: ${text.code ?? text.message}`;
  return output.safeParse(parse(text)).data ?? 'the file is no output of portico plan --json';
}

/** In the order in which they are listed; those that only have other aliases are `equal`, and not listed. */
const kinds = ['dearer', 'new', 'cheaper', 'gone'] as const;

/** An operation whose cost is not that in the base. */
export interface Change extends Place {
  kind: (typeof kinds)[number] | 'equal';
  name: string | null;
  /** The formulas; null where there is no such operation. */
  before: string | null;
  after: string | null;
  /** The most REST calls that it makes more, whatever the length of its lists; negative: fewer. */
  calls: number;
}

/**
 * Compares operations with those of a base, by their names, whatever files they are in. An operation without a
 * name is known by its calls. Those of one name are compared in their order, after the ones that are equal.
 */
export function differenceOf(base: PlannedOperations, head: PlannedOperations): Change[] {
  const [before, after] = [byIdentity(base), byIdentity(head)];
  const changes = [...new Set([...after.keys(), ...before.keys()])].flatMap((identity) => {
    const [all, former] = [after.get(identity) ?? [], before.get(identity) ?? []];
    const [added, removed] = [unequalTo(former, all), unequalTo(all, former)];
    return [
      ...added.map((operation, index) => changeOf(operation, removed[index], operation)),
      ...removed.slice(added.length).map((operation) => changeOf(operation, operation, undefined)),
    ];
  });
  // An operation with a fault is not planned, and not gone.
  const shown = kinds.filter((kind) => kind !== 'gone' || isComplete(head));
  return shown.flatMap((kind) => changes.filter((change) => change.kind === kind));
}

/** Whether all operations are planned, also those that exceed a limit: each of these is one fault. */
export function isComplete({ operations, faults }: PlannedOperations): boolean {
  return faults.length <= operations.filter(({ exceeded }) => exceeded).length;
}

function byIdentity({ operations }: PlannedOperations): Map<string, PlannedOperation[]> {
  return groupedBy(operations, ({ name, calls }) => name ?? JSON.stringify(calls));
}

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

/** Those of `all` that are left after each of `others` has taken the first one that costs the same. */
function unequalTo(others: readonly PlannedOperation[], all: readonly PlannedOperation[]) {
  const equal = groupedBy(others, formulaFor);
  return all.filter((one) => equal.get(formulaFor(one))?.pop() === undefined);
}

function formulaFor({ cost, live }: PlannedOperation): string {
  return live ? `${formulaOf(cost)} every ${live.everySeconds} s` : formulaOf(cost);
}

function changeOf(
  { name, file, documentId, line, column, cost: { limit } }: PlannedOperation,
  before: PlannedOperation | undefined,
  after: PlannedOperation | undefined,
): Change {
  const nothing = { known: 0, forEach: [], limit };
  const [cost, former] = [after?.cost ?? nothing, before?.cost ?? nothing];
  const [more, fewer] = [increaseOf(former, cost, limit), increaseOf(cost, former, limit)];
  const isDearer = more > 0 || everySeconds(after) < everySeconds(before);
  const isCheaper = fewer > 0 || everySeconds(after) > everySeconds(before);
  const kind = !before ? 'new' : !after ? 'gone' : isDearer ? 'dearer' : isCheaper ? 'cheaper' : 'equal';
  return {
    ...{ kind, name, file, ...(documentId !== undefined && { documentId }), line, column },
    before: before ? formulaFor(before) : null,
    after: after ? formulaFor(after) : null,
    calls: kind === 'cheaper' || kind === 'gone' ? -fewer : more,
  };
}

function everySeconds(operation: PlannedOperation | undefined): number {
  return operation?.live?.everySeconds ?? Infinity;
}

/** The most calls that `after` makes more than `before`, by the length of one list that makes the most of it. */
function increaseOf(before: Cost, after: Cost, limit: number): number {
  const former = formerCallsOf(before, after);
  const callsAt = ({ known }: Cost, each: number, length: number) =>
    Math.max(known, Math.min(known + each * length, limit));
  const increases = after.forEach.flatMap(({ list, calls }) => {
    // The difference is the largest just before or just after the limit.
    const longest = Math.max(0, Math.floor((limit - after.known) / calls));
    return [longest, longest + 1].map((n) => callsAt(after, calls, n) - callsAt(before, former(list), n));
  });
  return increases.reduce((most, more) => Math.max(most, more), after.known - before.known);
}

/** The calls for each element of a list in `before`. Lists of other names are paired: an alias costs nothing. */
function formerCallsOf(before: Cost, after: Cost): (list: string) => number {
  const listName = listNamesOf(before, after);
  const byName = ({ forEach }: Cost) => new Map(forEach.map(({ list, calls }) => [listName(list), calls]));
  const [former, latter] = [byName(before), byName(after)];
  const missingIn = (others: Map<string, number>, lists: Map<string, number>) =>
    [...lists].filter(([name]) => !others.has(name)).sort(([, one], [, other]) => other - one);
  const renamed = missingIn(latter, former);
  for (const [n, [name]] of missingIn(former, latter).entries()) former.set(name, renamed[n]?.[1] ?? 0);
  return (list) => former.get(listName(list)) ?? 0;
}
