import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getVariableValues,
  isListType,
  isScalarType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  Source,
  TokenKind,
  typeFromAST,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate as validateBy,
  visit,
} from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { type DocumentLimits, parseWithin } from '../../operation/document.ts';
import { operationInfoOf, selectOperation, type Values } from '../../operation/fields.ts';
import { memoized } from '../../rest/memo.ts';
import { pathOf } from '../../rest/resources.ts';
import { ignoreRequestError, tooComplex } from '../../schema/errors.ts';
import { type ConversationId, InputError, type SiteId } from '../../schema/input.ts';
import { parseSource } from '../../schema/locations.ts';
import { formulaOf } from './cost.ts';
import { type Plan, type PlanOptions, planOf, planOfInner } from './plan.ts';

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
  operationName?: string | undefined;
  /** How many calls an operation may make. Undefined: `MAX_UPSTREAM_CALLS`. */
  maxCalls?: number | undefined;
  /** Whether queries are planned as live queries too. */
  plansLive?: boolean;
}

/** The plan of an operation with incremental delivery, whose cost no values of its variables exceed. */
export interface OperationPlan extends Plan, Place {
  /** Null where the operation has no name. */
  name: string | null;
  /** The cost as people read it: `1 + 2 × sites`. */
  formula: string;
  /** What the plan assumes about variables without a value: `$ids: 50 ids`. */
  assumed: string[];
  /** The plan as a live query. Absent: none is requested, or the operation cannot be one. */
  asLive?: Plan;
}

/** What is wrong, and where, if it has a place. */
export interface Fault extends Partial<Place> {
  message: string;
}

export type Planner = ReturnType<typeof createPlanner>;

/** Plans documents outside of requests: for `portico plan`. `asSent`: what clients make of the set of documents. */
export function createPlanner(
  operations: PipelineCore,
  asSent: (set: readonly DefinitionNode[]) => readonly DefinitionNode[] = (set) => set,
) {
  const { schema, limits, validate } = operations;
  const planOperation = createPlanOperation(operations);

  return {
    plan(sources: readonly PlanSource[], { variables, ...others }: PlanRequest) {
      const { operationName } = others;
      // A variable may have the name of what every object inherits.
      const request = { ...others, variables: { __proto__: null, ...variables } };
      const texts = new Map<Source | undefined, PlanSource>();
      const faults = new Map<string, Fault>();
      // The operations that share a fragment report the same faults of it.
      const report = (fault: Fault) => void faults.set(JSON.stringify(fault), fault);
      const placeOf = ({ loc }: Pick<ASTNode, 'loc'>) => texts.get(loc?.source)?.placeAt(loc?.start ?? 0);

      /** Reports what is wrong with a document, at its place, or else where `placeAt` says. */
      function reportError(error: unknown, placeAt: (position: number) => Place | undefined): void {
        const { source, positions, message } = error instanceof GraphQLError ? error : faultFrom(error);
        const [position = 0] = positions ?? [];
        report({ ...(texts.get(source)?.placeAt(position) ?? placeAt(position)), message });
      }

      /** Returns what `run` does. Whatever it throws is a fault of the document that it reads. */
      function attempt<T>(placeAt: (position: number) => Place | undefined, run: () => T): T[] {
        try {
          return [run()];
        } catch (error) {
          reportError(error, placeAt);
          return [];
        }
      }

      const parsed = (isTrusted: boolean) =>
        sources
          .filter((from) => from.isTrusted === isTrusted)
          .flatMap((from) => {
            const documents = attempt(from.placeAt, () => parseSource(from.text));
            for (const { loc } of documents) texts.set(loc?.source, from);
            return documents;
          });
      const isRequested = (node: DefinitionNode): node is OperationDefinitionNode =>
        node.kind === Kind.OPERATION_DEFINITION &&
        (operationName === undefined || node.name?.value === operationName);

      const set = asSent(parsed(false).flatMap((one) => one.definitions));
      const uniqueNames = [UniqueOperationNamesRule, UniqueFragmentNamesRule];
      for (const { nodes = [], message } of validateBy(schema, documentOf(set), uniqueNames))
        for (const node of nodes) report({ ...placeOf(node), message });
      // Definitions of types are for other tools.
      const withFragments = createWithFragments(set, limits);
      const sent = set.filter(isRequested).flatMap((node) =>
        attempt(
          () => placeOf(node),
          () => {
            const definitions = withFragments(node);
            parseWithin(limits, definitions.map(textOf).join('\n\n'));
            return documentOf(definitions);
          },
        ),
      );
      const operations = [...parsed(true), ...sent].flatMap((document) => {
        const requested = document.definitions.filter(isRequested);
        const placeAt = () => placeOf(requested[0] ?? document);
        return attempt(placeAt, () => validate(document)).flatMap((errors) => {
          for (const error of errors) reportError(error, placeAt);
          if (errors.length > 0) return [];
          return requested.flatMap((node) => {
            const place = placeOf(node);
            if (!place) return [];
            return attempt(
              () => place,
              () => {
                const plan = planOperation(document, node, request);
                const message = plan.exceeded?.message.replace('The operation', plan.name ?? 'the operation');
                if (message) report({ ...place, message });
                return { ...place, ...plan };
              },
            );
          });
        });
      });
      return { operations, faults: [...faults.values()] };
    },
  };
}

/** What is thrown by code that a document drives beyond its limits. */
function faultFrom(error: unknown): GraphQLError {
  if (error instanceof RangeError) return new GraphQLError('The document is nested too deeply.');
  return new GraphQLError(`The document has a fault: ${error}`);
}

/**
 * Creates a function that returns an operation with the fragments that it uses, as a client sends it. That
 * function throws where they exceed the limit of tokens, and so takes time in proportion to what may be sent.
 */
function createWithFragments(set: readonly DefinitionNode[], { tokens: limit }: DocumentLimits) {
  const fragments = new Map<string, FragmentDefinitionNode[]>();
  for (const node of set) {
    if (node.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const sameName = fragments.get(node.name.value);
    if (sameName) sameName.push(node);
    else fragments.set(node.name.value, [node]);
  }
  const measured = memoized((node: DefinitionNode) => {
    const lexer = new Lexer(new Source(textOf(node)));
    let tokens = 0;
    while (lexer.advance().kind !== TokenKind.EOF) tokens += 1;
    const spreads = new Set<string>();
    visit(node, { [Kind.FRAGMENT_SPREAD]: ({ name }) => void spreads.add(name.value) });
    return { tokens, spreads };
  });

  return (operation: OperationDefinitionNode): DefinitionNode[] => {
    const sent: DefinitionNode[] = [];
    const names = new Set<string>();
    let tokens = 0;
    const add = (node: DefinitionNode) => {
      const measure = measured(node);
      tokens += measure.tokens;
      if (tokens > limit) throw tooComplex([`more than ${limit} tokens`]);
      for (const name of measure.spreads) names.add(name);
      sent.push(node);
    };
    add(operation);
    // Those that a fragment adds come later in the set.
    for (const name of names) for (const node of fragments.get(name) ?? []) add(node);
    return sent;
  };
}

/** Of a definition as it is sent: its client may have removed parts of it. */
const textOf = memoized((node: DefinitionNode) => print(node));

function documentOf(definitions: readonly DefinitionNode[]): DocumentNode {
  return { kind: Kind.DOCUMENT, definitions };
}

/** Plans an operation; throws a GraphQLError if it would be rejected. */
function createPlanOperation(operations: PipelineCore) {
  const { schema, maxIds, innerQueryOf } = operations;
  const assuming = withAssumedIds(operations);

  /** `everything`: the document with all that Boolean variables may select, if some have no value. */
  function planWith(
    document: DocumentNode,
    { name, variableDefinitions = [] }: OperationDefinitionNode,
    values: Values,
    { everything, ...planOptions }: PlanOptions & { everything: DocumentNode | undefined },
  ): Plan {
    const { coerced, errors } = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
    if (!coerced) throw errors[0];
    // A condition on a live query is rejected.
    const inner = innerQueryOf(document, name?.value, values);
    const whole = inner && everything ? innerQueryOf(everything, name?.value, values) : inner;
    if (whole) return planOfInner(whole, planOptions);
    const selected = selectOperation(schema, everything ?? document, name?.value);
    if (!selected) throw new Error('the schema has no root type for the operation');
    return planOf(operationInfoOf(selected, coerced), planOptions);
  }

  /** Plans a query below the root field `live`; undefined where it cannot be there. */
  function planAsLive(
    document: DocumentNode,
    index: number,
    ...[values, planOptions]: [Values, PlanOptions]
  ): Plan | undefined {
    const query = document.definitions[index] as OperationDefinitionNode;
    const { name, selectionSet } = query;
    const live: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'live' }, selectionSet };
    const below = { kind: Kind.SELECTION_SET, selections: [live] } as const;
    const subscription = { ...query, operation: OperationTypeNode.SUBSCRIPTION, selectionSet: below };
    const definitions = document.definitions.with(index, subscription);
    try {
      const inner = innerQueryOf(documentOf(definitions), name?.value, values);
      return inner && planOfInner(inner, planOptions);
    } catch (error) {
      return ignoreRequestError(error);
    }
  }

  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    { variables, maxCalls, plansLive }: PlanRequest,
  ): Omit<OperationPlan, keyof Place> => {
    const { alternatives, lists, booleans } = assume(schema, operation, variables, maxIds);
    // A list without a value may be shorter than it is assumed.
    const maxResources = lists.length === 0 ? operations.maxResources : Infinity;
    const everything = booleans.length > 0 ? withEverything(document, booleans) : undefined;
    const planOptions = { ...assuming, maxCalls, maxResources, isBound: everything !== undefined };
    const { values, type, plan } = alternatives
      .map((one) => ({
        ...one,
        plan: planWith(document, operation, one.values, { ...planOptions, everything }),
      }))
      .reduce((one, other) => (isCostlier(other.plan, one.plan) ? other : one));
    const index = document.definitions.indexOf(operation);
    const asLive =
      plansLive && (plan.live ? plan : planAsLive(everything ?? document, index, values, planOptions));
    return {
      name: operation.name?.value ?? null,
      formula: formulaOf(plan.cost),
      assumed: [
        ...lists.map(({ name, hasType }) => `$${name}: ${maxIds} ids${hasType ? ` of ${type}` : ''}`),
        ...booleans.map((variable) => `$${variable}: true or false`),
      ],
      ...plan,
      ...(asLive && { asLive }),
    };
  };
}

/**
 * The document with all that it selects for any values of these Boolean variables: without their conditions, and
 * with each `@defer` that they decide.
 */
function withEverything(document: DocumentNode, booleans: readonly string[]): DocumentNode {
  return visit(document, {
    [Kind.DIRECTIVE](node) {
      const value = node.arguments?.find(({ name }) => name.value === 'if')?.value;
      if (value?.kind !== Kind.VARIABLE || !booleans.includes(value.name.value)) return undefined;
      return ['skip', 'include'].includes(node.name.value) ? null : { ...node, arguments: [] };
    },
  });
}

function isCostlier(one: Plan, other: Plan): boolean {
  const each = ({ cost }: Plan) => cost.forEach.reduce((sum, { calls }) => sum + calls, 0);
  const difference =
    one.atMost - other.atMost || one.cost.known - other.cost.known || each(one) - each(other);
  return difference > 0;
}

/** No valid id has a control character. */
const MARK = '\u0000';

/**
 * Values for the variables of an operation that must have one and have none: any id, a list of as many ids as
 * are allowed (`lists`), true for Boolean variables (`booleans`), which decide nothing in `withEverything`. If a
 * value names a type beside an id, it is the same `type` in all of them.
 */
function assume(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Values, maxIds: number) {
  const lists: { name: string; hasType: boolean }[] = [];
  const types = new Set<string>();
  const booleans: string[] = [];
  const fixed: Values = { __proto__: null };
  const assumed: { name: string; valueFor(type: string): unknown }[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = getNullableType(typeFromAST(schema, node) as GraphQLInputType | undefined);
    const scalar = getNamedType(type);
    const names = isScalarType(scalar) ? scalar.extensions.names : undefined;
    const named = (id: string) => (kind: string) => (names ? names.valueOf(kind, id) : id);
    for (const kind of names?.types ?? []) types.add(kind);
    if (given[name] !== undefined) fixed[name] = given[name];
    else if (node.kind !== Kind.NON_NULL_TYPE || defaultValue || !type) continue;
    else if (isListType(type)) {
      const ids = Array.from({ length: maxIds }, (_, n) => named(`${MARK}$${name}${MARK}${n}`));
      assumed.push({ name, valueFor: (kind) => ids.map((valueFor) => valueFor(kind)) });
      lists.push({ name, hasType: names !== undefined });
    } else if (type.name === 'Boolean') {
      booleans.push(name);
      fixed[name] = true;
    } else if (['Int', 'Float'].includes(type.name)) fixed[name] = 1;
    else assumed.push({ name, valueFor: named(`${MARK}$${name}${MARK}`) });
  }
  const alternatives = (types.size > 0 ? [...types] : ['']).map((type) => {
    const more = assumed.map(({ name, valueFor }) => [name, valueFor(type)]);
    return { values: { ...fixed, ...Object.fromEntries(more) } as Values, type };
  });
  return { alternatives, lists, booleans };
}

/** Options that accept the assumed ids, reject a list that is too long for its field, and name their variable in the path of a call: `/v1/site/{$id}`. */
function withAssumedIds({ input, ...options }: PlanOptions): PlanOptions {
  const isAssumed = (text: string) => text.startsWith(MARK);
  return {
    ...options,
    input: {
      ...input,
      siteId: (text) => (isAssumed(text) ? (text as SiteId) : input.siteId(text)),
      conversationId: (text) => (isAssumed(text) ? (text as ConversationId) : input.conversationId(text)),
      // In a response it is an error of the field.
      idList(ids) {
        try {
          return input.idList(ids);
        } catch (error) {
          throw error instanceof InputError ? new GraphQLError(error.message) : error;
        }
      },
    },
    toPath({ kind, id }, include) {
      if (id === null || !isAssumed(id)) return pathOf({ kind, id }, include);
      return pathOf({ kind, id: null }, include).replace('{id}', `{${id.split(MARK)[1]}}`);
    },
  };
}
