import type { ExecutionArgs } from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { type BudgetOptions, namesIn, resourceNameOf, resourcesOf } from '../../operation/checks.ts';
import { withoutIncremental } from '../../operation/execute.ts';
import {
  type OperationInfo,
  operationInfoOf,
  type ResponseField,
  responseFieldsOf,
  rootFieldsOf,
  selectOperation,
  variablesOf,
} from '../../operation/fields.ts';
import type { CallRate, InnerQuery, Phase, RequestContext } from '../../operation/types.ts';
import type { Relation } from '../../rest/resources.ts';
import { pathOf } from '../../rest/targets.ts';
import { tooManyResources } from '../../schema/errors.ts';
import { type Resource, typeNames } from '../../schema/resources.ts';
import { includesOf, objectTypesOf, selectedFields } from '../../schema/selections.ts';
import { partsFormatOf } from '../incremental/index.ts';
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

/** Plans an operation by its document and variables alone, in time proportional to the root fields and their lists. */
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

type Needed = [key: string, resource: Pick<Need, 'kind' | 'id' | 'forEach'>];

/** Returns the resources that an operation needs, each once. */
function needsOf(info: OperationInfo, { input }: PlanOptions): Need[] {
  const needs = new Map<string, Need>();

  /** `above`: the path of the field above; `data`: the name of its data, equal for fields with equal data. */
  function visit(field: ResponseField, above: readonly string[], data: string): void {
    const { name, nodes, definition } = field;
    const { resources, resourceInData: kind } = definition.extensions;
    const all = resourcesOf(field, info, input);
    const path = [...above, name];
    for (const type of objectTypesOf(definition.type)) {
      const named = all.filter((resource) => typeNames[resource.kind] === type.name);
      // The resources at the root, and the fields below, without aliases.
      const origin = resources ? named.map(resourceNameOf).sort().join() : `${data}.${definition.name}`;
      const needed = named.map((resource): Needed => [resourceNameOf(resource), { id: null, ...resource }]);
      // A field that loads by an id from the data is a field of an element of a list.
      if (kind) needed.push([origin, { kind, id: null, forEach: shortened(above.join('.')) }]);
      if (needed.length > 0) {
        const cause = causeOf(path.join('.'), type, nodes, info);
        const now = includesOf({ ...info, fieldNodes: nodes, returnType: definition.type });
        const defers = selectedFields(type, nodes, info).deferred > 0;
        for (const [key, resource] of needed) {
          const need = needs.get(key) ?? { ...resource, causes: new Set(), now: new Set(), defers: false };
          needs.set(key, need);
          need.causes.add(cause);
          need.defers ||= defers;
          for (const relation of now) need.now.add(relation);
        }
      }
      // If no argument is valid, there is nothing to select from.
      if (resources && named.length === 0) continue;
      for (const below of responseFieldsOf(type, nodes, info)) visit(below, path, origin);
    }
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

function tooManyNames(operation: OperationInfo, options: PlanOptions): Excess | undefined {
  const { maxIds, maxResources: limit } = options;
  const shares = rootFieldsOf(operation).map((field) => ({
    field: shortened(field.name),
    count: namesIn(field, operation, maxIds),
  }));
  const over = firstOver(shares, limit);
  if (!over) return undefined;
  const { message } = tooManyResources(over.total, limit);
  return { resources: over.total, limit, field: over.field, message: `${message} ${adviceFor(over)}` };
}

/** Calls that only the data decide count if the cost permits them. `most`: with these calls. */
function tooManyCalls(
  calls: readonly PlannedCall[],
  most: number,
  { maxUpstreamCalls, maxCalls: limit = maxUpstreamCalls }: PlanOptions,
): Excess | undefined {
  const known = calls.filter(({ forEach }) => forEach === undefined);
  const shares = known.map(({ fields: [field = ''] }) => ({ field, count: 1 }));
  const overData = calls
    .filter(({ forEach }) => forEach !== undefined && most > limit)
    .map(({ fields: [field = ''], forEach }) => {
      return { field, total: most, change: `it is loaded for each element of ${forEach}; ` };
    });
  const over = firstOver(shares, limit) ?? overData[0];
  if (!over) return undefined;
  const needed = `${over === overData[0] ? 'up to ' : ''}${over.total} REST call${over.total === 1 ? '' : 's'}`;
  const message = `The operation makes ${needed}; at most ${limit} are allowed. ${adviceFor(over)}`;
  return { upstreamCalls: over.total, limit, field: over.field, message };
}

/** The sum, the first field with which it is over the limit, and what may be changed in this field. */
interface Over {
  field: string;
  total: number;
  change: string;
}

const adviceFor = ({ field, change }: Over) =>
  `${field} passes the limit: ${change}select it in another operation.`;

function firstOver(shares: readonly { field: string; count: number }[], limit: number): Over | undefined {
  const counts = new Map<string, number>();
  for (const { field, count } of shares) counts.set(field, (counts.get(field) ?? 0) + count);
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  let left = limit;
  for (const [field, count] of counts) {
    if (count > left) return { field, total, change: left > 0 ? `name at most ${left} ids in it, or ` : '' };
    left -= count;
  }
  return undefined;
}
