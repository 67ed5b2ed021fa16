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
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  type Source,
  typeFromAST,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate as validateBy,
  visit,
} from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { parseWithin } from '../../operation/document.ts';
import { operationInfoOf, selectOperation, type Values } from '../../operation/fields.ts';
import { pathOf } from '../../rest/resources.ts';
import { ignoreRequestError } from '../../schema/errors.ts';
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

interface PlanRequest {
  /** For all operations: each takes those that it declares. */
  variables: Values;
  /** Plans the operations of this name only. */
  operationName?: string | undefined;
  /** How many calls an operation may make. Undefined: `MAX_UPSTREAM_CALLS`. */
  maxCalls?: number | undefined;
  /** True: queries are planned as live queries too. */
  plansLive?: boolean;
}

/** The plan of an operation with incremental delivery, whose cost no values of its variables exceed. */
export interface OperationPlan extends Plan, Place {
  /** Null if the operation has no name. */
  name: string | null;
  /** The cost as people read it: `1 + 2 × sites`. */
  formula: string;
  /** The assumptions of the plan about variables without a value: `$ids: 50 ids`. */
  assumed: string[];
  /** The plan as a live query. Absent: none is requested, or the operation cannot be one. */
  asLive?: Plan;
}

/** A reason, and its place if it has one. */
export interface Fault extends Partial<Place> {
  message: string;
}

/** Plans documents outside of requests: for `portico plan`. `asSent`: what clients make of the set of documents. */
export function createPlanner(
  core: PipelineCore,
  asSent: (set: readonly DefinitionNode[]) => readonly DefinitionNode[] = (set) => set,
) {
  const { schema, validate } = core;
  const planOperation = createPlanOperation(core);

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
      const fragments = new Map(
        set.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
      );
      const sent = set.filter(isRequested).flatMap((node) =>
        attempt(
          () => placeOf(node),
          () => {
            const document = documentOf(withFragments(node, fragments));
            parseWithin(core, print(document));
            return document;
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

/** The error for code that a document drives beyond its limits. */
function faultFrom(error: unknown): GraphQLError {
  if (error instanceof RangeError) return new GraphQLError('The document is nested too deeply.');
  return new GraphQLError(`The document has a fault: ${error}`);
}

/** Returns an operation with the fragments that it uses, as a client sends it. */
function withFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DefinitionNode[] {
  const sent = new Set<DefinitionNode>([operation]);
  // Those that a fragment adds come later in the set.
  for (const node of sent)
    visit(node, {
      [Kind.FRAGMENT_SPREAD]({ name }) {
        const fragment = fragments.get(name.value);
        if (fragment) sent.add(fragment);
      },
    });
  return [...sent];
}

function documentOf(definitions: readonly DefinitionNode[]): DocumentNode {
  return { kind: Kind.DOCUMENT, definitions };
}

/** Plans an operation; throws a GraphQLError if it would be rejected. */
function createPlanOperation(operations: PipelineCore) {
  const { schema, maxIds, innerQueryOf } = operations;
  const assuming = withAssumedIds(operations);

  /** Plans a query below the root field `live`; undefined if it cannot be there. */
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
    const { variableDefinitions = [] } = operation;
    const name = operation.name?.value ?? null;
    const { values, lists, booleans } = assume(schema, operation, variables, maxIds);
    const { coerced, errors } = getVariableValues(schema, variableDefinitions, values, { maxErrors: 1 });
    if (!coerced) throw errors[0];
    const isBound = booleans.length > 0;
    const everything = isBound ? withEverything(document, booleans) : document;
    // A list without a value may be shorter than it is assumed.
    const maxResources = lists.length === 0 ? operations.maxResources : Infinity;
    const planOptions = { ...assuming, maxCalls, maxResources, isBound };
    // A condition on a live query is rejected.
    const inner = innerQueryOf(document, name, values) && innerQueryOf(everything, name, values);
    const selected = selectOperation(schema, everything, name);
    if (!selected) throw new Error('the schema has no root type for the operation');
    const plan = inner
      ? planOfInner(inner, planOptions)
      : planOf(operationInfoOf(selected, coerced), planOptions);
    const index = document.definitions.indexOf(operation);
    const asLive = plansLive && (plan.live ? plan : planAsLive(everything, index, values, planOptions));
    return {
      name,
      formula: formulaOf(plan.cost),
      assumed: [
        ...lists.map((list) => `$${list}: ${maxIds} ids`),
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

/** No valid id has a control character. */
const MARK = '\u0000';

/**
 * Values for the variables of an operation that must have one and have none: any id, a list of as many ids as
 * are allowed (`lists`), true for Boolean variables (`booleans`), which decide nothing in `withEverything`.
 */
function assume(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Values, maxIds: number) {
  const values: Values = { __proto__: null };
  const lists: string[] = [];
  const booleans: string[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = getNullableType(typeFromAST(schema, node) as GraphQLInputType | undefined);
    const kind = getNamedType(type)?.name ?? '';
    if (given[name] !== undefined) values[name] = given[name];
    else if (node.kind !== Kind.NON_NULL_TYPE || defaultValue) continue;
    else if (kind === 'Boolean') {
      booleans.push(name);
      values[name] = true;
    } else if (['Int', 'Float'].includes(kind)) values[name] = 1;
    else if (kind !== 'ID' && kind !== 'String') continue;
    else if (isListType(type)) {
      lists.push(name);
      values[name] = Array.from({ length: maxIds }, (_, n) => `${MARK}$${name}${MARK}${n}`);
    } else values[name] = `${MARK}$${name}${MARK}`;
  }
  return { values, lists, booleans };
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
