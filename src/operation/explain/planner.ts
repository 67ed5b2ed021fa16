import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  Source,
  separateOperations,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate as validateBy,
} from 'graphql';
import { checkArguments } from '../checks/arguments.ts';
import { type DocumentLimits, parseWithin } from '../document/limits.ts';
import { operationInfoOf, selectOperation } from '../document/operation-info.ts';
import type { LiveSettings } from '../live/live.ts';
import { createReadPlannedOperation, type LivePlan, livePlanOf } from '../live/live-phase.ts';
import type { Validate } from '../trusted/manifest.ts';
import { assume, MAX_BOOLEANS, type Values, withAssumedIds } from './assumptions.ts';
import { formulaOf } from './formula.ts';
import { type Plan, type PlanOptions, planOf } from './plan.ts';

/** Plans documents outside of requests: for `portico plan`. */
export interface Planner {
  plan(
    sources: readonly PlanSource[],
    request: PlanRequest,
  ): { operations: OperationPlan[]; faults: Fault[] };
}

/** A text with operations or fragments. */
export interface PlanSource {
  text: string;
  /**
   * A trusted document is complete, and may be of any size. All other texts are one set: an operation is sent with its
   * fragments, whatever texts they are in.
   */
  isTrusted: boolean;
  /** The place of a position of the text. */
  placeAt(position: number): Place;
}

/** A place as a person finds it: in a file, which may hold several texts. */
export interface Place {
  file: string;
  /** In a manifest: the id of the document. */
  documentId?: string;
  line: number;
  column: number;
}

export interface PlanRequest {
  /** For all operations: each takes those that it declares. */
  variables: Values;
  /** Plans the operations of this name only. */
  operationName: string | undefined;
  /** How many calls an operation may make. Undefined: `MAX_UPSTREAM_CALLS`. */
  maxCalls: number | undefined;
}

/** The plan of an operation for a client that accepts incremental delivery, with the values of variables that cost the most. */
export interface OperationPlan extends Plan, Partial<Pick<LivePlan, 'live'>>, Place {
  /** Null where the operation has no name. */
  name: string | null;
  /** The cost as people read it: `1 + 2 × sites`. */
  formula: string;
  /** What the plan assumes about variables without a value: `$ids: 50 ids`. */
  assumed: string[];
}

/** What is wrong, and where, if it has a place. */
export interface Fault extends Partial<Place> {
  message: string;
}

export interface PlannerOptions extends PlanOptions {
  schema: GraphQLSchema;
  limits: DocumentLimits;
  validate: Validate;
  /** Absent: there are no live queries. */
  live?: LiveSettings | null;
}

export function createPlanner(options: PlannerOptions): Planner {
  const planOperation = createPlanOperation(options);

  return {
    plan(sources, request) {
      const { operationName } = request;
      const texts = new Map<Source | undefined, PlanSource>();
      const faults = new Map<string, Fault>();
      // The operations that share a fragment report the same faults of it.
      const report = (fault: Fault) => void faults.set(JSON.stringify(fault), fault);
      const placeIn = (source: Source | undefined, position = 0) => texts.get(source)?.placeAt(position);
      const placeOf = ({ loc }: Pick<ASTNode, 'loc'>) => placeIn(loc?.source, loc?.start);

      /** What `run` returns. Errors of GraphQL that it throws are faults, at their own place or at that of `node`. */
      function attempt<T>(node: OperationDefinitionNode | undefined, run: () => T): T[] {
        try {
          return [run()];
        } catch (error) {
          const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
          for (const one of errors) {
            if (!(one instanceof GraphQLError)) throw error;
            const place = placeIn(one.source, one.positions?.[0]) ?? (node && placeOf(node));
            report({ ...place, message: one.message });
          }
          return [];
        }
      }

      const documents = sources.flatMap((from) => {
        const source = new Source(from.text);
        texts.set(source, from);
        return attempt(undefined, () => ({ ...parse(source), isTrusted: from.isTrusted }));
      });
      const set = documents.filter(({ isTrusted }) => !isTrusted).flatMap(({ definitions }) => definitions);
      const names = documentOf(set);
      for (const error of validateBy(options.schema, names, [
        UniqueOperationNamesRule,
        UniqueFragmentNamesRule,
      ])) {
        for (const node of error.nodes ?? []) report({ ...placeOf(node), message: error.message });
      }
      const sent = [...documents.filter(({ isTrusted }) => isTrusted), ...separated(set)];
      const operations = sent.flatMap((document) => {
        const requested = document.definitions
          .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
          .filter(({ name }) => operationName === undefined || name?.value === operationName);
        const [first] = requested;
        if (!first && !document.isTrusted) return [];
        if (attempt(first, () => checkDocument(document, options)).length === 0) return [];
        return requested.flatMap((node) => {
          const place = placeOf(node);
          return place ? attempt(node, () => ({ ...place, ...planOperation(document, node, request) })) : [];
        });
      });
      return { operations, faults: [...faults.values()] };
    },
  };
}

interface SentDocument extends DocumentNode {
  isTrusted: boolean;
}

function documentOf(definitions: readonly DefinitionNode[]): DocumentNode {
  return { kind: Kind.DOCUMENT, definitions };
}

/** A document for each operation: with the fragments that it uses. Definitions of types are for other tools. */
function separated(set: readonly DefinitionNode[]): SentDocument[] {
  const fragments = set.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return set
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .flatMap((node) => Object.values(separateOperations(documentOf([node, ...fragments]))))
    .map((document) => ({ ...document, isTrusted: false }));
}

/** @throws the errors of the document */
function checkDocument(document: SentDocument, { limits, validate }: PlannerOptions): void {
  if (!document.isTrusted) parseWithin(limits, print(document));
  const errors = validate(document);
  if (errors.length > 0) throw new AggregateError(errors);
}

type OperationCost = Omit<OperationPlan, keyof Place>;

/** Plans an operation; it throws a GraphQLError where the gateway would reject it, or too many variables have no value. */
function createPlanOperation(options: PlannerOptions) {
  const { schema, maxIds, live } = options;
  const planOptions = withAssumedIds(options);
  const readLive = live && createReadPlannedOperation({ ...planOptions, schema });

  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    { variables, maxCalls }: PlanRequest,
  ): OperationCost => {
    const assumptions = assume(schema, operation, variables, maxIds);
    if (!assumptions) {
      const message = `More than ${MAX_BOOLEANS} Boolean variables have no value.`;
      throw new GraphQLError(message, { nodes: operation });
    }
    // A list without a value may be shorter than it is assumed.
    const maxResources = assumptions.lists.length === 0 ? options.maxResources : Infinity;
    const limited = { ...planOptions, maxCalls, maxResources };
    const name = operation.name?.value;
    const planWith = (values: Values): { values: Values; plan: Plan } => {
      const { variableDefinitions = [] } = operation;
      const { coerced, errors } = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
      if (!coerced) throw errors[0];
      if (live && operation.operation === OperationTypeNode.SUBSCRIPTION) {
        const read = readLive?.(document, name, values);
        if (read) return { values, plan: livePlanOf(read, { ...limited, settings: live }) };
      }
      const selected = selectOperation(schema, document, name);
      if (!selected) throw new Error('the schema has no query type');
      checkArguments(selected)?.(coerced);
      return { values, plan: planOf(operationInfoOf(selected, coerced), limited) };
    };
    const { values, plan } = assumptions.alternatives
      .map(planWith)
      .reduce((most, other) => (isCostlier(other.plan, most.plan) ? other : most));
    return {
      name: name ?? null,
      formula: formulaOf(plan.cost),
      assumed: [
        ...assumptions.lists.map(({ variable, length }) => `${variable}: ${length} ids`),
        ...assumptions.booleans.map((name) => `$${name}: ${values[name]}`),
      ],
      ...plan,
    };
  };
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
