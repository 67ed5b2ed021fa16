import type { ExecutionArgs, GraphQLObjectType } from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { type BudgetOptions, namesIn, resourceNameOf, resourcesOf } from '../../operation/checks.ts';
import { partsFormatOf } from '../../operation/deferral.ts';
import { withoutIncremental } from '../../operation/execute.ts';
import {
  fieldsOf,
  type OperationInfo,
  operationInfoOf,
  type ResponseField,
  rootFieldsOf,
  selectOperation,
  variablesOf,
} from '../../operation/fields.ts';
import type { CallRate, InnerQuery, Phase, RequestContext } from '../../operation/types.ts';
import { pathOf, type Relation } from '../../rest/resources.ts';
import { tooManyResources } from '../../schema/errors.ts';
import { type Resource, typeNames } from '../../schema/resources.ts';
import { includesOf, objectTypesOf, selectedFields } from '../../schema/selections.ts';
import { type Cause, causeOf, type ListedFields, listFields, shortened } from './causes.ts';
import { type Cost, costOf, mostCalls } from './cost.ts';
import { explainField } from './header.ts';

/** Responds with `extensions.plan` in place of executing, with the request header `x-explain: plan`. */
export function explainPlan(operations: PipelineCore): Phase {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      if (args.contextValue.request.headers.get(explainField) !== 'plan') return;
      const plan = planOfRequest(args, operations);
      if (plan) setResultAndStopExecution({ extensions: { plan } });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { document, operationName, variableValues, contextValue } = args;
      if (contextValue.request.headers.get(explainField) !== 'plan') return;
      // An operation that is rejected as a stream has no plan either.
      if ((contextValue as Partial<RequestContext>).streamRejection) return;
      const found = operations.innerQueryOf(document, operationName, variableValues);
      if (!found) return;
      setResultAndStopExecution({ extensions: { plan: planOfInner(found, operations) } });
    },
  };
}

/** The REST calls that an operation would make. */
export interface Plan {
  calls: PlannedCall[];
  /** How many more there are; absent: none. */
  omittedCalls?: number;
  cost: Cost;
  /** The most calls while none fails: the known ones, or the limit if the data decide. */
  atMost: number;
  limit: number;
  /** The limit that the operation exceeds: it is rejected, or the calls over the limit fail. Absent: none. */
  exceeded?: Excess;
  /** Of a query that is polled, whose calls are those of one round. */
  live?: CallRate;
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
  /** The path of a call, if not `pathOf`. */
  toPath?: typeof pathOf;
  /** True if the plan is a bound for several documents, each of which defers other relations. */
  isBound?: boolean;
}

/** Plans an operation as it is executed for its request. Undefined if it cannot be planned: the execution says why. */
export function planOfRequest(
  args: ExecutionArgs & { contextValue: ServedContext },
  operations: PipelineCore,
) {
  const { schema, operationName, variableValues, contextValue } = args;
  const format = partsFormatOf(contextValue.request.headers.get('accept'), args.document, operationName);
  const document = format ? args.document : withoutIncremental(args.document);
  const operation = selectOperation(schema, document, operationName);
  const variables = operation && variablesOf(schema, operation.operation, variableValues);
  const maxUpstreamCalls = contextValue.calls?.budget.limit ?? operations.maxUpstreamCalls;
  return variables && planOf(operationInfoOf(operation, variables), { ...operations, maxUpstreamCalls });
}

interface ServedContext extends Partial<RequestContext> {
  request: Request;
}

/** An operation that is too expensive names many times what it may. */
const MAX_CALLS = 200;

/**
 * Plans an operation by its document and variables alone: what it costs, and why. Calls nothing. The work is
 * proportional to the root fields times the length of their lists.
 */
export function planOf(operation: OperationInfo, options: PlanOptions): Plan {
  const limit = options.maxUpstreamCalls;
  const calls = needsOf(operation, options).flatMap((need) => callsFor(need, options));
  const cost = costOf(calls, limit);
  const exceeded = tooManyNames(operation, options) ?? tooManyCalls(calls, mostCalls(cost), options);
  return {
    calls: calls.slice(0, MAX_CALLS),
    ...(calls.length > MAX_CALLS && { omittedCalls: calls.length - MAX_CALLS }),
    cost,
    atMost: mostCalls(cost),
    limit,
    ...(exceeded && { exceeded }),
  };
}

/** Plans the query within an operation of another kind. */
export function planOfInner({ query, variables, rateOf }: InnerQuery, options: PlanOptions): Plan {
  // Its relations are never deferred.
  const plan = planOf(operationInfoOf(query, variables), { ...options, isBound: false });
  return { ...plan, live: rateOf(plan.cost.known, plan.atMost) };
}

/** A resource that an operation needs, or one for each element of a list, and the fields that read it. */
interface Need {
  kind: Resource['kind'];
  /** Null if the data name it. */
  id: string | null;
  /** The list for each of whose elements it is needed, by its path in the response; absent: needed once. */
  forEach?: string;
  causes: Set<Cause>;
  /** The relations that the first call includes; the others that the causes select are deferred. */
  now: Set<Relation>;
  /** True if one of the causes defers a part of its selections. */
  defers: boolean;
}

/** Returns the resources that an operation needs, by its document and variables alone, each once. */
function needsOf(info: OperationInfo, { input }: PlanOptions): Need[] {
  const needs = new Map<string, Need>();

  /** `above`: the path of the field above; `data`: the name of its data, equal for fields with equal data. */
  function visit(field: ResponseField, above: readonly string[], data: string): void {
    const named = resourcesOf(field, info, input);
    for (const type of objectTypesOf(field.definition.type)) {
      const ofType = named.filter(({ kind }) => typeNames[kind] === type.name);
      visitAs(type, ofType, field, above, data);
    }
  }

  /** Visits what a field returns of one type; `named`: what its arguments name of it. */
  function visitAs(
    type: GraphQLObjectType,
    named: readonly Resource[],
    { name, nodes, definition }: ResponseField,
    above: readonly string[],
    data: string,
  ): void {
    const { resources, resourceInData: kind } = definition.extensions;
    const path = [...above, name];
    // The resources at the root, and the fields below, without aliases.
    const origin = resources ? named.map(resourceNameOf).sort().join() : `${data}.${definition.name}`;
    if (kind || named.length > 0) {
      const cause = causeOf(path.join('.'), type, nodes, info);
      const now = includesOf({ ...info, fieldNodes: nodes, returnType: definition.type });
      const defers = selectedFields(type, nodes, info).deferred > 0;
      // A field that loads by an id from the data is a field of an element of a list.
      if (kind) add(origin, { kind, id: null, forEach: shortened(above.join('.')) }, cause, now, defers);
      for (const resource of named)
        add(resourceNameOf(resource), { id: null, ...resource }, cause, now, defers);
    }
    // If no argument is valid, there is nothing to select from.
    if (resources && named.length === 0) return;
    for (const below of fieldsOf(type, nodes, info)) visit(below, path, origin);
  }

  function add(
    name: string,
    resource: Pick<Need, 'kind' | 'id' | 'forEach'>,
    cause: Cause,
    now: readonly Relation[],
    defers: boolean,
  ): void {
    const need = needs.get(name) ?? { ...resource, causes: new Set(), now: new Set(), defers: false };
    needs.set(name, need);
    need.causes.add(cause);
    need.defers ||= defers;
    for (const relation of now) need.now.add(relation);
  }

  for (const field of rootFieldsOf(info)) visit(field, [], '');
  return [...needs.values()];
}

/** One call now, and one for all deferred relations: their fields resolve in one tick. */
function callsFor(
  { kind, id, forEach, causes, now, defers }: Need,
  { toPath = pathOf, isBound = false }: PlanOptions,
): PlannedCall[] {
  const reading = [...causes];
  const call = (include: Iterable<Relation>, listed: ListedFields): PlannedCall => ({
    method: 'GET',
    path: toPath({ kind, id }, [...include]),
    ...listed,
    ...(forEach !== undefined && { forEach }),
  });
  const selected = reading.flat().flatMap(({ relation }) => relation ?? []);
  const later = new Set(selected.filter((relation) => (isBound && defers) || !now.has(relation)));
  const first = call(now, listFields(reading, [undefined, ...now]));
  return later.size === 0 ? [first] : [first, call(later, listFields(reading, later))];
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

/** Calls that only the data decide count if the cost permits them. `most`: with these calls. */
function tooManyCalls(
  calls: readonly PlannedCall[],
  most: number,
  { maxUpstreamCalls, maxCalls: limit = maxUpstreamCalls }: PlanOptions,
): Excess | undefined {
  const excess = (field: string, upstreamCalls: number, advice: string, certainty = ''): Excess => {
    const needed = `${certainty}${upstreamCalls} REST ${upstreamCalls === 1 ? 'call' : 'calls'}`;
    const message = `The operation makes ${needed}; at most ${limit} are allowed. ${field} passes the limit: ${advice}.`;
    return { upstreamCalls, limit, field, message };
  };
  const known = calls.filter(({ forEach }) => forEach === undefined);
  const shares = known.map(({ fields: [field = ''] }) => ({ field, count: 1 }));
  const over = firstOver(shares, limit);
  if (over) return excess(over.field, over.total, over.advice);
  const dependent = calls.find(({ forEach }) => forEach !== undefined);
  if (!dependent || most <= limit) return undefined;
  const [field = ''] = dependent.fields;
  return excess(field, most, `it is loaded for each element of ${dependent.forEach}; ${elsewhere}`, 'up to ');
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
