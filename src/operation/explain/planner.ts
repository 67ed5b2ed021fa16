import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  getVariableValues,
  isListType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  Source,
  separateOperations,
  typeFromAST,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate as validateBy,
} from 'graphql';
import type { ConversationId, Input, SiteId } from '../../input.ts';
import { checkArguments } from '../checks.ts';
import { type DocumentLimits, parseWithin } from '../document.ts';
import { operationInfoOf, selectOperation, type Values } from '../fields.ts';
import {
  createReadPlannedOperation,
  type LivePlan,
  type LiveSettings,
  livePlanOf,
} from '../live/operation.ts';
import type { Validate } from '../trusted-documents.ts';
import { formulaOf } from './cost.ts';
import { type Plan, type PlanOptions, planOf } from './plan.ts';

/** A text with operations or fragments. */
export interface PlanSource {
  text: string;
  /**
   * A trusted document is complete, and may be of any size. All other texts are one set: an operation is sent
   * with its fragments, whatever texts they are in.
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

/** The plan of an operation with incremental delivery, for the values of variables that cost the most. */
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

interface PlannerOptions extends PlanOptions {
  schema: GraphQLSchema;
  limits: DocumentLimits;
  validate: Validate;
  /** Absent: there are no live queries. */
  live?: LiveSettings | null;
}

/** Plans documents outside of requests: for `portico plan`. */
export function createPlanner(options: PlannerOptions) {
  const { schema } = options;
  const planOperation = createPlanOperation(options);

  return {
    plan(sources: readonly PlanSource[], request: PlanRequest) {
      const { operationName } = request;
      const texts = new Map<Source | undefined, PlanSource>();
      const faults = new Map<string, Fault>();
      // The operations that share a fragment report the same faults of it.
      const report = (fault: Fault) => void faults.set(JSON.stringify(fault), fault);
      const placeIn = (source: Source | undefined, position = 0) => texts.get(source)?.placeAt(position);
      const placeOf = ({ loc }: Pick<ASTNode, 'loc'>) => placeIn(loc?.source, loc?.start);

      /** Returns what `run` does. GraphQL errors that it throws are faults, at their place or at `node`. */
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
      const uniqueNames = [UniqueOperationNamesRule, UniqueFragmentNamesRule];
      for (const error of validateBy(schema, documentOf(set), uniqueNames)) {
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

function documentOf(definitions: readonly DefinitionNode[], isTrusted = false): SentDocument {
  return { kind: Kind.DOCUMENT, definitions, isTrusted };
}

/** A document for each operation: with the fragments it uses. Definitions of types are for other tools. */
function separated(set: readonly DefinitionNode[]): SentDocument[] {
  const fragments = set.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return set
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .flatMap((node) => Object.values(separateOperations(documentOf([node, ...fragments]))))
    .map(({ definitions }) => documentOf(definitions));
}

/** @throws the errors of the document */
function checkDocument(document: SentDocument, { limits, validate }: PlannerOptions): void {
  if (!document.isTrusted) parseWithin(limits, print(document));
  const errors = validate(document);
  if (errors.length > 0) throw new AggregateError(errors);
}

/** Plans an operation; throws a GraphQLError if it would be rejected or too many variables have no value. */
function createPlanOperation(options: PlannerOptions) {
  const { schema, live } = options;
  const assuming = withAssumedIds(options);
  const readLive = live && createReadPlannedOperation({ ...assuming, schema, live });

  function planWith(
    document: DocumentNode,
    { operation: type, name, variableDefinitions = [] }: OperationDefinitionNode,
    values: Values,
    planOptions: PlanOptions,
  ): Plan {
    const { coerced, errors } = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
    if (!coerced) throw errors[0];
    const isLive = type === OperationTypeNode.SUBSCRIPTION;
    const read = isLive && readLive?.(document, name?.value, values);
    if (live && read) return livePlanOf(read, { ...planOptions, live });
    const selected = selectOperation(schema, document, name?.value);
    if (!selected) throw new Error('the schema has no root type for the operation');
    checkArguments(selected)?.(coerced);
    return planOf(operationInfoOf(selected, coerced), planOptions);
  }

  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    { variables, maxCalls }: PlanRequest,
  ): Omit<OperationPlan, keyof Place> => {
    const { alternatives, lists, booleans } = assume(schema, operation, variables, options.maxIds);
    // A list without a value may be shorter than it is assumed.
    const maxResources = lists.length === 0 ? options.maxResources : Infinity;
    const planOptions = { ...assuming, maxCalls, maxResources };
    const plans = alternatives.map((values) => ({
      values,
      plan: planWith(document, operation, values, planOptions),
    }));
    const [{ values, plan }] = plans.sort((one, other) => byCost(one.plan, other.plan)) as [
      (typeof plans)[0],
    ];
    return {
      name: operation.name?.value ?? null,
      formula: formulaOf(plan.cost),
      assumed: [
        ...lists.map((variable) => `$${variable}: ${options.maxIds} ids`),
        ...booleans.map((variable) => `$${variable}: ${values[variable]}`),
      ],
      ...plan,
    };
  };
}

/** The costliest plan first. */
function byCost(one: Plan, other: Plan): number {
  const each = ({ cost }: Plan) => cost.forEach.reduce((sum, { calls }) => sum + calls, 0);
  return other.atMost - one.atMost || other.cost.known - one.cost.known || each(other) - each(one);
}

/** The values that a plan takes for variables without one. */
interface Assumptions {
  /** One object for each combination of the Boolean variables. */
  alternatives: Values[];
  /** The variables that count as a list of as many ids as are allowed. */
  lists: string[];
  /** The Boolean variables. */
  booleans: string[];
}

/** Each further Boolean variable doubles the number of plans. */
const MAX_BOOLEANS = 6;

/** No valid id has a control character. */
const MARK = '\u0000';

/**
 * Values for the variables of an operation that must have one and have none: any id, a list of as many ids as
 * are allowed, every combination of Boolean values.
 * @throws a GraphQLError where there are more than `MAX_BOOLEANS` of these
 */
function assume(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Values,
  maxIds: number,
): Assumptions {
  const fixed: Values = {};
  const lists: string[] = [];
  const booleans: string[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = getNullableType(typeFromAST(schema, node) as GraphQLInputType | undefined);
    if (given[name] !== undefined) fixed[name] = given[name];
    else if (node.kind !== Kind.NON_NULL_TYPE || defaultValue || !type) continue;
    else if (isListType(type)) {
      fixed[name] = Array.from({ length: maxIds }, (_, n) => `${MARK}$${name}${MARK}${n}`);
      lists.push(name);
    } else if (type.name === 'Boolean') booleans.push(name);
    else fixed[name] = ['Int', 'Float'].includes(type.name) ? 1 : `${MARK}$${name}${MARK}`;
  }
  if (booleans.length > MAX_BOOLEANS) {
    const message = `More than ${MAX_BOOLEANS} Boolean variables have no value.`;
    throw new GraphQLError(message, { nodes: operation });
  }
  const alternatives = booleans.reduce<Values[]>(
    (all, name) => all.flatMap((values) => [true, false].map((value) => ({ ...values, [name]: value }))),
    [fixed],
  );
  return { alternatives, lists, booleans };
}

/** Options that accept the assumed ids, and name their variable in the path of a call: `/v1/site/{$id}`. */
function withAssumedIds({ input, toPath, ...options }: PlanOptions): PlanOptions {
  const isAssumed = (text: string) => text.startsWith(MARK);
  const assumedInput: Input = {
    ...input,
    siteId: (text) => (isAssumed(text) ? (text as SiteId) : input.siteId(text)),
    conversationId: (text) => (isAssumed(text) ? (text as ConversationId) : input.conversationId(text)),
  };
  return {
    ...options,
    input: assumedInput,
    toPath({ kind, id }, include) {
      if (id === null || !isAssumed(id)) return toPath({ kind, id }, include);
      return toPath({ kind, id: null }, include).replace('{id}', `{${id.split(MARK)[1]}}`);
    },
  };
}
