import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { parseSource, relocated } from '../../locations.ts';
import { checkArguments } from '../checks/arguments.ts';
import { createBudgetCheck } from '../checks/budget.ts';
import { type DocumentLimits, parseWithin } from '../document/limits.ts';
import { operationInfoOf, selectOperation } from '../document/operation-info.ts';
import { liveQueryOf } from '../live/live-operation.ts';
import { textsFromManifest, type Validate } from '../trusted/manifest.ts';
import { assume, MAX_BOOLEANS, type Values, withAssumedIds } from './assumptions.ts';
import { formulaOf } from './formula.ts';
import { type Plan, type PlanOptions, planOf } from './plan.ts';

/** Plans documents outside of requests: for `portico plan`. */
export interface Planner {
  /** Plans the operations of a document, within the limits of texts from clients. */
  planDocument(text: string, request: PlanRequest): PlanResult;
  /** Plans the operations of a manifest of trusted documents. */
  planManifest(text: string, request: PlanRequest): PlanResult;
}

export interface PlanRequest {
  /** For all operations: each takes those that it declares. */
  variables: Values;
  /** Plans the operations of this name only. */
  operationName: string | undefined;
}

interface PlanResult {
  operations: OperationPlan[];
  faults: Fault[];
}

/** The place of an operation or a fault. */
interface Place {
  /** In a manifest: the id of the document. */
  documentId?: string;
  line?: number;
  column?: number;
}

/** The plan of an operation for a client that accepts incremental delivery, with the values of variables that cost the most. */
export interface OperationPlan extends Plan, Place {
  /** Null where the operation has no name. */
  name: string | null;
  /** The cost as people read it: `1 + 2 × sites`. */
  formula: string;
  /** What the plan assumes about variables without a value: `$ids: 50 ids`. */
  assumed: string[];
}

/** What is wrong with a document. */
export interface Fault extends Place {
  message: string;
}

export interface PlannerOptions extends PlanOptions {
  schema: GraphQLSchema;
  limits: DocumentLimits;
  maxIds: number;
  maxResources: number;
  validate: Validate;
}

export function createPlanner(options: PlannerOptions): Planner {
  const { limits } = options;
  const planOperation = createPlanOperation(options);

  function planText(parseText: () => DocumentNode, request: PlanRequest): PlanResult {
    const document = settled(() => validated(parseText(), options.validate));
    if (document.faults) return { operations: [], faults: document.faults };
    const results = document.value.definitions
      .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
      .filter((node) => isRequested(node, request))
      .map((node) => settled(() => planOperation(document.value, node, request.variables), node));
    return {
      operations: results.flatMap(({ value }) => value ?? []),
      faults: results.flatMap(({ faults }) => faults ?? []),
    };
  }

  return {
    planDocument: (text, request) => planText(() => parseWithin(limits, text), request),
    planManifest(text, request) {
      const texts = textsFromManifest(text);
      if (typeof texts === 'string') return { operations: [], faults: [{ message: texts }] };
      const results = texts.map(([documentId, document]) => {
        if (typeof document !== 'string') {
          return { operations: [], faults: [{ documentId, message: 'a document must be a text' }] };
        }
        const { operations, faults } = planText(() => parseSource(document), request);
        const inManifest = <T extends Place>(one: T): T => ({ ...one, documentId });
        return { operations: operations.map(inManifest), faults: faults.map(inManifest) };
      });
      return {
        operations: results.flatMap(({ operations }) => operations),
        faults: results.flatMap(({ faults }) => faults),
      };
    },
  };
}

/** @throws the errors of the document */
function validated(document: DocumentNode, validate: Validate): DocumentNode {
  const errors = validate(document);
  if (errors.length > 0) throw new AggregateError(errors);
  return document;
}

/** What `run` returns, or the errors of GraphQL that it throws; one without a place is an error of the whole operation. */
function settled<T>(
  run: () => T,
  operation?: OperationDefinitionNode,
): { value: T; faults?: never } | { value?: never; faults: Fault[] } {
  try {
    return { value: run() };
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    const known = errors.filter((one) => one instanceof GraphQLError);
    if (known.length === 0) throw error;
    const place = placeOf(new GraphQLError('', { nodes: operation ?? null }));
    return { faults: known.map((one) => ({ message: one.message, ...place, ...placeOf(one) })) };
  }
}

/** Plans an operation; it throws a GraphQLError where the gateway would refuse it, or too many variables have no value. */
function createPlanOperation(options: PlannerOptions) {
  const { schema, maxIds, maxResources } = options;
  const planOptions = withAssumedIds(options);
  const { input } = planOptions;
  // The calls are compared with another limit where `portico plan` has one.
  const checkBudget = createBudgetCheck({ input, maxIds, maxResources, maxUpstreamCalls: Infinity });

  return (document: DocumentNode, operation: OperationDefinitionNode, given: Values): OperationPlan => {
    const selected =
      operation.operation === OperationTypeNode.SUBSCRIPTION
        ? liveQueryOf(schema, document, operation)
        : selectOperation(schema, document, operation.name?.value);
    const assumptions = assume(schema, operation, given, maxIds);
    if (!selected || !assumptions) {
      const message = `More than ${MAX_BOOLEANS} Boolean variables have no value.`;
      throw new GraphQLError(message, { nodes: operation });
    }
    const planWith = (values: Values) => {
      const { variableDefinitions = [] } = operation;
      const { coerced, errors } = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
      if (!coerced) throw errors[0];
      checkArguments(selected)?.(coerced);
      // A list without a value may be shorter than it is assumed.
      if (assumptions.lists.length === 0) checkBudget(selected)?.(coerced);
      return { values, plan: planOf(operationInfoOf(selected, coerced), planOptions) };
    };
    const { values, plan } = assumptions.alternatives
      .map(planWith)
      .reduce((most, other) => (isCostlier(other.plan, most.plan) ? other : most));
    return {
      name: operation.name?.value ?? null,
      ...placeOf(new GraphQLError('', { nodes: operation })),
      formula: formulaOf(plan.cost),
      assumed: [
        ...assumptions.lists.map(({ variable, length }) => `${variable}: ${length} ids`),
        ...assumptions.booleans.map((name) => `$${name}: ${values[name]}`),
      ],
      ...plan,
    };
  };
}

function isRequested({ name }: OperationDefinitionNode, { operationName }: PlanRequest): boolean {
  return operationName === undefined || name?.value === operationName;
}

function isCostlier(one: Plan, other: Plan): boolean {
  const weights = ({ atMost, cost }: Plan) => [
    atMost,
    cost.known,
    cost.forEach.reduce((sum, { calls }) => sum + calls, 0),
  ];
  const [a, b] = [weights(one), weights(other)];
  const differing = a.findIndex((weight, n) => weight !== b[n]);
  return differing >= 0 && (a[differing] ?? 0) > (b[differing] ?? 0);
}

function placeOf(error: GraphQLError): Place {
  return { ...relocated(error).locations?.[0] };
}
