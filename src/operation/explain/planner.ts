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
  parse,
  print,
  Source,
  separateOperations,
  typeFromAST,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate as validateBy,
} from 'graphql';
import type { ConversationId, SiteId } from '../../input.ts';
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
  const { schema, limits, validate } = options;
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

      /** Reports an error at its place, or else at `node`. */
      function reportError({ source, positions, message }: GraphQLError, node?: ASTNode): void {
        report({ ...(placeIn(source, positions?.[0]) ?? (node && placeOf(node))), message });
      }

      /** Returns what `run` does. A GraphQL error that it throws is a fault. */
      function attempt<T>(node: ASTNode | undefined, run: () => T): T[] {
        try {
          return [run()];
        } catch (error) {
          if (!(error instanceof GraphQLError)) throw error;
          reportError(error, node);
          return [];
        }
      }

      const parsed = (isTrusted: boolean) =>
        sources
          .filter((from) => from.isTrusted === isTrusted)
          .flatMap((from) => {
            const source = new Source(from.text);
            texts.set(source, from);
            return attempt(undefined, () => parse(source));
          });
      const isRequested = (node: DefinitionNode): node is OperationDefinitionNode =>
        node.kind === Kind.OPERATION_DEFINITION &&
        (operationName === undefined || node.name?.value === operationName);

      const set = parsed(false).flatMap(({ definitions }) => definitions);
      const uniqueNames = [UniqueOperationNamesRule, UniqueFragmentNamesRule];
      for (const { nodes = [], message } of validateBy(schema, documentOf(set), uniqueNames)) {
        for (const node of nodes) report({ ...placeOf(node), message });
      }
      // An operation is sent with the fragments it uses. Definitions of types are for other tools.
      const fragments = set.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
      const sent = set
        .filter(isRequested)
        .flatMap((node) =>
          Object.values(separateOperations(documentOf([node, ...fragments]))).filter(
            (document) => attempt(node, () => parseWithin(limits, print(document))).length > 0,
          ),
        );
      const operations = [...parsed(true), ...sent].flatMap((document) => {
        const requested = document.definitions.filter(isRequested);
        const errors = validate(document);
        for (const error of errors) reportError(error, requested[0]);
        if (errors.length > 0) return [];
        return requested.flatMap((node) => {
          const place = placeOf(node);
          if (!place) return [];
          return attempt(node, () => {
            const plan = planOperation(document, node, request);
            const message = plan.exceeded?.message.replace('The operation', plan.name ?? 'the operation');
            if (message) report({ ...place, message });
            return { ...place, ...plan };
          });
        });
      });
      return { operations, faults: [...faults.values()] };
    },
  };
}

function documentOf(definitions: readonly DefinitionNode[]): DocumentNode {
  return { kind: Kind.DOCUMENT, definitions };
}

/** Plans an operation; throws a GraphQLError if it would be rejected or too many variables have no value. */
function createPlanOperation(options: PlannerOptions) {
  const { schema, live, maxIds } = options;
  const assuming = withAssumedIds(options);
  const readLive = live && createReadPlannedOperation({ ...assuming, schema, live });

  function planWith(
    document: DocumentNode,
    { name, variableDefinitions = [] }: OperationDefinitionNode,
    values: Values,
    planOptions: PlanOptions,
  ): Plan {
    const { coerced, errors } = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
    if (!coerced) throw errors[0];
    const read = readLive?.(document, name?.value, values);
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
    const { alternatives, lists, booleans } = assume(schema, operation, variables, maxIds);
    // A list without a value may be shorter than it is assumed.
    const maxResources = lists.length === 0 ? options.maxResources : Infinity;
    const planOptions = { ...assuming, maxCalls, maxResources };
    const { values, plan } = alternatives
      .map((values) => ({ values, plan: planWith(document, operation, values, planOptions) }))
      .reduce((one, other) => (isCostlier(other.plan, one.plan) ? other : one));
    return {
      name: operation.name?.value ?? null,
      formula: formulaOf(plan.cost),
      assumed: [
        ...lists.map((variable) => `$${variable}: ${maxIds} ids`),
        ...booleans.map((variable) => `$${variable}: ${values[variable] === true}`),
      ],
      ...plan,
    };
  };
}

function isCostlier(one: Plan, other: Plan): boolean {
  const each = ({ cost }: Plan) => cost.forEach.reduce((sum, { calls }) => sum + calls, 0);
  const difference =
    one.atMost - other.atMost || one.cost.known - other.cost.known || each(one) - each(other);
  return difference > 0;
}

/** Each further Boolean variable doubles the number of plans. */
const MAX_BOOLEANS = 6;

/** No valid id has a control character. */
const MARK = '\u0000';

/**
 * Values for the variables of an operation that must have one and have none: any id, a list of as many ids as
 * are allowed (`lists`), every combination of Boolean values (`booleans`).
 * @throws a GraphQLError where there are more than `MAX_BOOLEANS` of these
 */
function assume(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Values, maxIds: number) {
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
  return {
    ...options,
    input: {
      ...input,
      siteId: (text) => (isAssumed(text) ? (text as SiteId) : input.siteId(text)),
      conversationId: (text) => (isAssumed(text) ? (text as ConversationId) : input.conversationId(text)),
    },
    toPath({ kind, id }, include) {
      if (id === null || !isAssumed(id)) return toPath({ kind, id }, include);
      return toPath({ kind, id: null }, include).replace('{id}', `{${id.split(MARK)[1]}}`);
    },
  };
}
