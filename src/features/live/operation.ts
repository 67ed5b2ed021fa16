import { hash } from 'node:crypto';
import {
  type FieldNode,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { createBudgetCheck } from '../../operation/checks.ts';
import { bytesOf, documentHashOf } from '../../operation/document.ts';
import { withoutIncremental } from '../../operation/execute.ts';
import {
  operationInfoOf,
  type ResponseField,
  rootFieldsOf,
  type SelectedOperation,
  selectOperation,
  type Values,
  variablesOf,
} from '../../operation/fields.ts';
import type { Check, Phase, ReadInnerQuery, RequestContext } from '../../operation/types.ts';
import { memoized } from '../../rest/memo.ts';
import { badRequest, badUserInput } from '../../schema/errors.ts';
import { MAX_EVERY } from './schema.ts';
import type { LiveSettings } from './settings.ts';

/** A subscription to `live`, with the variables of one request. */
export interface LiveOperation {
  /** A digest that is the same for equal operations with equal variables. */
  id: string;
  /** The query below `live`, without `@defer` and `@stream`. Its nodes have the locations of the sent document. */
  query: SelectedOperation;
  /** The name of `live` in the response. */
  responseName: string;
  /** Coerced. */
  variables: Values;
  /** The memory of its document and its variables. */
  bytes: number;
  everyMs: number;
}

interface LiveOperationOptions extends PipelineCore {
  live: LiveSettings;
}

/**
 * Reads a live operation from a validated document: undefined for another operation, and if a variable does not fit.
 * @throws a GraphQLError if it is rejected, by the checks of a query or because of `live` itself
 */
export type ReadLiveOperation = (...operation: Parameters<ReadInnerQuery>) => LiveOperation | undefined;

export function createReadLiveOperation(options: LiveOperationOptions): ReadLiveOperation {
  const { schema } = options;
  const checkBudget = createBudgetCheck(options);
  /** The part that is the same for all variables; each request has to pass the checks. */
  const prepare = memoized((_: OperationDefinitionNode, selected: SelectedOperation) => {
    const live = liveFieldOf(selected);
    const query = queryBelow(live, selected);
    return { live, query, checks: [checkBudget(query), pollCheck(query)] };
  });

  return (document, operationName, values) => {
    const selected = selectOperation(schema, document, operationName);
    if (selected?.operation.operation !== OperationTypeNode.SUBSCRIPTION) return undefined;
    const { operation } = selected;
    const { live, query, checks } = prepare(operation, selected);
    const variables = variablesOf(schema, operation, values);
    if (!variables) return undefined;
    for (const check of checks) check?.(variables);
    const [node] = live.nodes as [FieldNode];
    const { every } = getArgumentValues(live.definition, node, variables) as { every?: number | null };
    if (every != null && (every < 1 || every > MAX_EVERY))
      throw badUserInput(`"every" must be from 1 to ${MAX_EVERY} seconds.`, node);
    const text = jsonOf(variables, operation);
    return {
      query,
      responseName: live.name,
      id: hash('sha256', JSON.stringify([documentHashOf(document), operationName ?? null, text])),
      variables,
      bytes: bytesOf(document) + 2 * text.length,
      everyMs: Math.max((every ?? 0) * 1000, options.live.intervalMs),
    };
  };
}

/** In the order of their declarations. @throws a GraphQLError if they are nested too deeply */
function jsonOf(variables: Values, operation: OperationDefinitionNode): string {
  try {
    return JSON.stringify(variables);
  } catch {
    throw badUserInput('The variables are nested too deeply.', operation);
  }
}

/** The one root field: validation allows no other. @throws a GraphQLError if a directive may leave it out */
function liveFieldOf(selected: SelectedOperation): ResponseField {
  const [field] = rootFieldsOf(operationInfoOf(selected, {}));
  if (field) return field;
  throw badUserInput('"live" takes neither @skip nor @include.', selected.operation);
}

function queryBelow({ nodes }: ResponseField, { schema, document, operation }: SelectedOperation) {
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const queryNode: OperationDefinitionNode = {
    ...operation,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const whole = { ...document, definitions: [queryNode, ...fragments] };
  const query = selectOperation(schema, withoutIncremental(whole), null);
  if (!query) throw new Error('the schema has no query type');
  return query;
}

function pollCheck(query: SelectedOperation): Check {
  return (variables) => {
    const fields = rootFieldsOf(operationInfoOf(query, variables));
    const field = fields.find(({ definition }) => definition.extensions.unpolled);
    const [node] = field?.nodes ?? [];
    if (node) throw badUserInput(`"${field?.definition.name}" cannot be read by "live": send a query.`, node);
  };
}

/** Rejects live operations without a stream. */
export function liveOperations(read: ReadLiveOperation): Phase {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { document, operationName, variableValues, contextValue } = args;
      // Variables that do not fit are for the execution to reject.
      if (!read(document, operationName, variableValues)) return;
      const { streamRejection } = contextValue as Partial<RequestContext>;
      setResultAndStopExecution({ errors: [streamRejection ?? badRequest(howToAccept, 406)] });
    },
  };
}

const howToAccept =
  'A live query is a stream: send it by POST, and accept text/event-stream or multipart/mixed;subscriptionSpec=1.0.';

/** For a plan: the query below `live`, and its REST calls in a minute if nothing else polls for this key. */
export function createReadQueryBelow(options: LiveOperationOptions): ReadInnerQuery {
  const read = createReadLiveOperation({ ...options, maxUpstreamCalls: Infinity, maxResources: Infinity });
  const limitPerMinute = options.live.callsPerMinute;
  return (document, operationName, values) => {
    const operation = read(document, operationName, values);
    if (!operation) return undefined;
    const { query, variables, everyMs } = operation;
    const perMinute = (calls: number) => Math.min(Math.ceil((calls * 60_000) / everyMs), limitPerMinute);
    return {
      query,
      variables,
      rateOf: (known, atMost) => ({
        everySeconds: everyMs / 1000,
        callsPerMinute: perMinute(known),
        atMostPerMinute: perMinute(atMost),
        limitPerMinute,
      }),
    };
  };
}
