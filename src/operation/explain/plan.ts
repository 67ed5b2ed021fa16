import { tooManyResources } from '../../errors.ts';
import type { Relation } from '../../upstream/resources.ts';
import { type BudgetOptions, namesIn } from '../checks.ts';
import { executedDocument } from '../execute.ts';
import {
  type OperationInfo,
  operationInfoOf,
  rootFieldsOf,
  selectOperation,
  variablesOf,
} from '../fields.ts';
import type { Phase } from '../types.ts';
import { type Cost, costOf, mostCalls } from './cost.ts';
import {
  type ListedFields,
  listFields,
  type Need,
  needsOf,
  pathsOf,
  relationPathsOf,
  shortened,
} from './needs.ts';

/**
 * Plans an operation in place of executing it, with the request header `x-explain: plan`: the response is
 * `extensions.plan`.
 */
export function explainPlan(options: PlanOptions): Phase {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { headers } = args.contextValue.request;
      if (headers.get('x-explain') !== 'plan') return;
      const { schema, operationName, variableValues } = args;
      const document = executedDocument(args.document, headers.get('accept'));
      const operation = selectOperation(schema, document, operationName);
      const variables = operation && variablesOf(schema, operation.operation, variableValues);
      if (!variables) return;
      const plan = planOf(operationInfoOf(operation, variables), options);
      setResultAndStopExecution({ extensions: { plan } });
    },
  };
}

/** The REST calls that an operation would make. */
export interface Plan {
  calls: PlannedCall[];
  /** How many more there are; absent: none. */
  omittedCalls?: number;
  cost: Cost;
  /** The most calls while none fails: the known ones, or the limit where the data decide. */
  atMost: number;
  limit: number;
  /** The limit that the operation exceeds: it is rejected, or the calls over the limit fail. Absent: none. */
  exceeded?: Excess;
}

/** A REST call that an operation would make, and the fields that cause it, by their paths in the response. */
interface PlannedCall extends ListedFields {
  method: 'GET';
  /** With `{id}` in place of an id that depends on the data. */
  path: string;
  /** The list for each of whose elements the call is made, where their number depends on the data. */
  forEach?: string;
}

export interface PlanOptions extends BudgetOptions {
  /** How many calls are allowed, if not `maxUpstreamCalls`. */
  maxCalls?: number | undefined;
  /** The path of a call; an id that is not known is `{id}`. */
  toPath(resource: Pick<Need, 'kind' | 'id'>, include: readonly Relation[]): string;
}

/** An operation that is too expensive names many times what it may. */
const MAX_CALLS = 200;

/**
 * Plans an operation by its document and variables alone: what it costs, and why. Calls nothing. The work is
 * proportional to the root fields times the length of their lists.
 */
export function planOf(operation: OperationInfo, options: PlanOptions): Plan {
  const limit = options.maxUpstreamCalls;
  const needs = needsOf(operation, options.input);
  const callsByNeed = needs.map((need) => callsFor(need, options.toPath));
  const calls = callsByNeed.flat();
  const cost = costOf(needs, limit);
  const exceeded = tooManyNames(operation, options) ?? tooManyCalls(callsByNeed, cost, options);
  return {
    calls: calls.slice(0, MAX_CALLS),
    ...(calls.length > MAX_CALLS && { omittedCalls: calls.length - MAX_CALLS }),
    cost,
    atMost: mostCalls(cost),
    limit,
    ...(exceeded && { exceeded }),
  };
}

/** One call now, and one for the relations that are deferred. */
function callsFor(
  { kind, id, forEach, causes, now, later }: Need,
  toPath: PlanOptions['toPath'],
): PlannedCall[] {
  const call = (include: ReadonlySet<Relation>, paths: string[]): PlannedCall => ({
    method: 'GET',
    path: toPath({ kind, id }, [...include]),
    ...listFields(paths),
    ...(forEach !== undefined && { forEach }),
  });
  const first = call(now, pathsOf(causes, now));
  return later.size === 0 ? [first] : [first, call(later, relationPathsOf(causes, later))];
}

/** A limit an operation exceeds: with `upstreamCalls` or `resources`, as in the error of its execution. */
interface Excess {
  upstreamCalls?: number;
  resources?: number;
  limit: number;
  /** The first field that passes the limit, by its path in the response. */
  field: string;
  /** For people, with what to lower. */
  message: string;
}

function tooManyNames(
  operation: OperationInfo,
  { maxIds, maxResources: limit }: PlanOptions,
): Excess | undefined {
  const names = rootFieldsOf(operation).map((field) => ({
    field: shortened(field.name),
    count: namesIn(field, operation, maxIds),
  }));
  const over = firstOver(names, limit);
  if (!over) return undefined;
  const { field, total, advice } = over;
  const message = `${tooManyResources(total, limit).message} ${field} passes the limit: ${advice}.`;
  return { resources: total, limit, field, message };
}

/** Calls that only the data decide count if the cost permits them. */
function tooManyCalls(
  callsByNeed: readonly PlannedCall[][],
  cost: Cost,
  { maxUpstreamCalls, maxCalls: limit = maxUpstreamCalls }: PlanOptions,
): Excess | undefined {
  const shareOf = ({ fields: [field = ''] }: PlannedCall) => ({ field, count: 1 });
  const excess = (field: string, upstreamCalls: number, advice: string, certainty = ''): Excess => {
    const needed = `${certainty}${upstreamCalls} REST ${upstreamCalls === 1 ? 'call' : 'calls'}`;
    const message = `The operation makes ${needed}; at most ${limit} are allowed. ${field} passes the limit: ${advice}.`;
    return { upstreamCalls, limit, field, message };
  };
  const named = callsByNeed.filter(([call]) => call?.forEach === undefined);
  const first = named.flatMap((calls) => calls.slice(0, 1)).map(shareOf);
  // The calls for deferred relations come after all others.
  const deferred = named.flatMap((calls) => calls.slice(1)).map(shareOf);
  const over = firstOver([...first, ...deferred], limit);
  if (over) {
    const isDeferred = deferred.some(({ field }) => field === over.field);
    return excess(over.field, over.total, isDeferred ? 'select it without @defer' : over.advice);
  }
  const dependent = callsByNeed.flat().find(({ forEach }) => forEach !== undefined);
  const most = mostCalls(cost);
  if (!dependent || most <= limit) return undefined;
  const advice = `it is loaded for each element of ${dependent.forEach}; ${elsewhere}`;
  return excess(shareOf(dependent).field, most, advice, 'up to ');
}

const elsewhere = 'select it in another operation';

/** The first field with which the sum is over the limit. */
function firstOver(shares: readonly { field: string; count: number }[], limit: number) {
  const counts = new Map<string, number>();
  for (const { field, count } of shares) counts.set(field, (counts.get(field) ?? 0) + count);
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  let left = limit;
  for (const [field, count] of counts) {
    const fewer = left > 0 ? `name at most ${left} ids in it, or ` : '';
    if (count > left) return { field, total, advice: fewer + elsewhere };
    left -= count;
  }
  return undefined;
}
