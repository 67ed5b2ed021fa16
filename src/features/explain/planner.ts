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
import {
  operationInfoOf,
  type SelectedOperation,
  selectOperation,
  type Values,
} from '../../operation/fields.ts';
import { pathOf } from '../../rest/targets.ts';
import { ignoreRequestError } from '../../schema/errors.ts';
import { type ConversationId, InputError, type SiteId } from '../../schema/input.ts';
import { parseSource } from '../../schema/locations.ts';
import { formulaOf } from './cost.ts';
import { type Plan, type PlanOptions, planOf, planOfInner } from './plan.ts';

/** A text with operations or fragments. */
export interface PlanSource {
  text: string;
  /** A trusted document is complete, and of any size. All others are one set, in which fragments may be anywhere. */
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
  const planOperation = createPlanOperation(core);

  /** Returns each requested operation of the set with its fragments, if a client may send that. */
  function documentsIn(set: readonly DefinitionNode[], request: PlanRequest, texts: Texts): DocumentNode[] {
    // Definitions of types are for other tools.
    const fragments = new Map(
      set.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
    return requestedIn(set, request).flatMap((node) => {
      const document = documentOf(withFragments(node, fragments));
      const check = () => parseWithin(core, print(document));
      return texts.attempt(() => texts.placeOf(node), check).map(() => document);
    });
  }

  /** Plans the requested operations of a document, and reports why one would be rejected. */
  function plansOf(document: DocumentNode, request: PlanRequest, texts: Texts): OperationPlan[] {
    const requested = requestedIn(document.definitions, request);
    const placeAt = () => texts.placeOf(requested[0] ?? document);
    return texts
      .attempt(placeAt, () => core.validate(document))
      .flatMap((errors) => {
        for (const error of errors) texts.reportError(error, placeAt);
        if (errors.length > 0) return [];
        return requested.flatMap((node) => {
          const place = texts.placeOf(node);
          const plans = texts.attempt(
            () => place,
            () => planOperation(document, node, request),
          );
          for (const { exceeded, name } of plans)
            if (exceeded)
              texts.report(exceeded.message.replace('The operation', name ?? 'the operation'), place);
          return plans.map((plan) => ({ ...place, ...plan }));
        });
      });
  }

  return {
    plan(sources: readonly PlanSource[], request: PlanRequest) {
      const texts = new Texts();
      const parsed = (isTrusted: boolean) =>
        sources.filter((from) => from.isTrusted === isTrusted).flatMap((from) => texts.parse(from));
      const set = asSent(parsed(false).flatMap(({ definitions }) => definitions));
      for (const { nodes = [], message } of validateBy(core.schema, documentOf(set), uniqueNames))
        for (const node of nodes) texts.report(message, texts.placeOf(node));
      const documents = [...parsed(true), ...documentsIn(set, request, texts)];
      const operations = documents.flatMap((document) => plansOf(document, request, texts));
      return { operations, faults: texts.faults };
    },
  };
}

const uniqueNames = [UniqueOperationNamesRule, UniqueFragmentNamesRule];

function requestedIn(definitions: readonly DefinitionNode[], { operationName }: PlanRequest) {
  return definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .filter(({ name }) => operationName === undefined || name?.value === operationName);
}

/** The texts of a request, and their faults, each once: operations that share a fragment have the same ones. */
class Texts {
  readonly #sources = new Map<Source | undefined, PlanSource>();
  readonly #faults = new Map<string, Fault>();

  get faults(): Fault[] {
    return [...this.#faults.values()];
  }

  /** Returns the document of a text; none if it has a fault. */
  parse(from: PlanSource): DocumentNode[] {
    const documents = this.attempt(from.placeAt, () => parseSource(from.text));
    for (const { loc } of documents) this.#sources.set(loc?.source, from);
    return documents;
  }

  placeOf({ loc }: Pick<ASTNode, 'loc'>): Place {
    const from = this.#sources.get(loc?.source);
    if (!from) throw new Error('the node is of another text');
    return from.placeAt(loc?.start ?? 0);
  }

  report(message: string, place: Place): void {
    const fault = { ...place, message };
    this.#faults.set(JSON.stringify(fault), fault);
  }

  /** Reports an error at its place, or else where `placeAt` says. */
  reportError(error: unknown, placeAt: PlanSource['placeAt']): void {
    // Code that a document drives beyond its limits throws another one.
    const isNested = error instanceof RangeError;
    const message = isNested ? 'The document is nested too deeply.' : `The document has a fault: ${error}`;
    const known = error instanceof GraphQLError ? error : new GraphQLError(message);
    const [position = 0] = known.positions ?? [];
    this.report(known.message, this.#sources.get(known.source)?.placeAt(position) ?? placeAt(position));
  }

  /** Returns what `run` does; what it throws is reported. */
  attempt<T>(placeAt: PlanSource['placeAt'], run: () => T): T[] {
    try {
      return [run()];
    } catch (error) {
      this.reportError(error, placeAt);
      return [];
    }
  }
}

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
    { document, operation: query }: SelectedOperation,
    values: Values,
    planOptions: PlanOptions,
  ): Plan | undefined {
    const { name, selectionSet } = query;
    const live: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'live' }, selectionSet };
    const below = { kind: Kind.SELECTION_SET, selections: [live] } as const;
    const subscription = { ...query, operation: OperationTypeNode.SUBSCRIPTION, selectionSet: below };
    const definitions = document.definitions.map((node) => (node === query ? subscription : node));
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
    const asLive = plansLive && (plan.live ? plan : planAsLive(selected, values, planOptions));
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

/** The document without conditions by these Boolean variables, and with each `@defer` that they decide. */
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

/** Values for variables without one: any id, a list of as many ids as are allowed, true for Boolean variables. */
function assume(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Values, maxIds: number) {
  const values: Values = { __proto__: null };
  const lists: string[] = [];
  const booleans: string[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = getNullableType(typeFromAST(schema, node) as GraphQLInputType | undefined);
    const kind = getNamedType(type)?.name ?? '';
    if (Object.hasOwn(given, name)) values[name] = given[name];
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

/** Accepts the assumed ids, and names their variable in paths: `/v1/site/{$id}`. Rejects a list that is too long. */
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
