import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Input } from '../../input.ts';
import { includesOf } from '../../schema/look-ahead.ts';
import type { Resource } from '../../schema/resources.ts';
import type { Relation } from '../../upstream/resources.ts';
import {
  fieldsOf,
  type OperationInfo,
  operationInfoOf,
  type ResponseField,
  resourcesOf,
  selectOperation,
  variablesOf,
} from '../document/operation-info.ts';
import { executedDocument } from '../execution/execute.ts';
import type { Phase, RequestContext } from '../types.ts';

/** A REST call that an operation would make. */
interface PlannedCall {
  method: 'GET';
  /** With `{id}` in place of an id that depends on the data. */
  path: string;
  /** The fields that cause it, by their paths in the response. */
  fields: string[];
  /** The list for each of whose sites the call is made, where their number depends on the data. */
  forEach?: string;
}

export interface PlanOptions {
  input: Input;
  maxUpstreamCalls: number;
  /** The path of a call; an id that is not known is `{id}`. */
  toPath(resource: { kind: Resource['kind']; id: string | null }, include: readonly Relation[]): string;
}

/**
 * Plans an operation in place of executing it, with the request header `x-explain: plan`: the response is
 * `extensions.plan`, the REST calls that the operation makes as long as none is retried, and their upper bound.
 */
export function explainPlan(options: PlanOptions): Phase {
  return { plugins: [usePlan(options)] };
}

function usePlan(options: PlanOptions): Plugin<object, RequestContext> {
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

function planOf(reading: OperationInfo, { input, maxUpstreamCalls, toPath }: PlanOptions) {
  const needs = needsOf(reading, input);
  const calls = needs.flatMap((need) => callsFor(need, toPath));
  // Relations that are deferred at several levels are loaded one after the other.
  const known = needs
    .filter(({ forEach }) => forEach === undefined)
    .reduce((count, need) => count + 1 + putOffIn(need).length, 0);
  const isKnown = needs.every(({ forEach }) => forEach === undefined);
  return { calls, atMost: isKnown ? known : Math.max(known, maxUpstreamCalls), limit: maxUpstreamCalls };
}

/** A resource that the operation needs, or one that the data will name, and what it is read for. */
interface Need {
  kind: Resource['kind'];
  id: string | null;
  /** The fields that select it, and those of its relations that the first call includes. */
  fields: Set<string>;
  now: Set<Relation>;
  /** The relations that are deferred, each with the fields that read it. */
  later: Map<Relation, Set<string>>;
  forEach?: string;
}

function needsOf(reading: OperationInfo, input: Input): Need[] {
  const needs = new Map<string, Need>();

  function visit(type: GraphQLObjectType, { nodes }: Pick<ResponseField, 'nodes'>, above: string[]): void {
    for (const field of fieldsOf(type, nodes, reading)) visitField(field, [...above, field.name]);
  }

  function visitField(field: ResponseField, path: string[]): void {
    const { resourceInData } = field.definition.extensions;
    for (const resource of resourcesOf(field, reading, input)) {
      const id = 'id' in resource ? resource.id : null;
      need(`${resource.kind} ${id}`, { kind: resource.kind, id }, field, path);
    }
    if (resourceInData) {
      need(
        path.join('.'),
        { kind: resourceInData, id: null, forEach: path.slice(0, -1).join('.') },
        field,
        path,
      );
    }
    const type = getNamedType(field.definition.type);
    if (isObjectType(type)) visit(type, field, path);
  }

  function need(
    name: string,
    what: Pick<Need, 'kind' | 'id' | 'forEach'>,
    field: ResponseField,
    path: string[],
  ) {
    const known: Need = needs.get(name) ?? { ...what, fields: new Set(), now: new Set(), later: new Map() };
    needs.set(name, known);
    known.fields.add(path.join('.'));
    addRelations(known, field, path);
  }

  function addRelations(
    { now, later, fields }: Need,
    { definition, nodes }: ResponseField,
    path: string[],
  ): void {
    const type = getNamedType(definition.type);
    if (!isObjectType(type)) return;
    const included = includesOf({ ...reading, fieldNodes: nodes, returnType: definition.type });
    for (const relation of included) now.add(relation);
    for (const { name, definition } of fieldsOf(type, nodes, reading)) {
      const { include } = definition.extensions;
      if (!include) continue;
      const cause = [...path, name].join('.');
      if (included.includes(include)) fields.add(cause);
      else later.set(include, (later.get(include) ?? new Set()).add(cause));
    }
  }

  const { query, operation } = reading;
  for (const field of fieldsOf(query, [operation], reading)) visitField(field, [field.name]);
  return [...needs.values()];
}

/** One call now, and one for the relations that are deferred. */
function callsFor(need: Need, toPath: PlanOptions['toPath']): PlannedCall[] {
  const { kind, id, forEach } = need;
  const call = (include: readonly Relation[], fields: Iterable<string>): PlannedCall => ({
    method: 'GET',
    path: toPath({ kind, id }, include),
    fields: [...fields],
    ...(forEach !== undefined && { forEach }),
  });
  const first = call([...need.now], need.fields);
  const putOff = putOffIn(need);
  if (putOff.length === 0) return [first];
  const relations = putOff.map(([relation]) => relation);
  return [
    first,
    call(
      relations,
      putOff.flatMap(([, causes]) => [...causes]),
    ),
  ];
}

/** The deferred relations that no other field includes in the first call. */
function putOffIn({ now, later }: Need): [Relation, Set<string>][] {
  return [...later].filter(([relation]) => !now.has(relation));
}
