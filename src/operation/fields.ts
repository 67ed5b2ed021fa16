import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { memoized } from '../rest/memo.ts';
import { type SelectionInfo, selectedFields } from '../schema/selections.ts';

/** Values of variables or arguments, coerced. */
export type Values = Record<string, unknown>;

export interface SelectedOperation {
  readonly schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  root: GraphQLObjectType;
}

/** Undefined if the document has no such operation: the execution reports why. */
export function selectOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): SelectedOperation | undefined {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  return root ? { schema, document, operation, root } : undefined;
}

/** The values of an operation's variables; undefined if one does not fit. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: Readonly<Values> | null | undefined,
): Values | undefined {
  // One misfit is enough: each is an error, with a message, and there can be as many as a body holds.
  return getVariableValues(schema, variableDefinitions, values ?? {}, { maxErrors: 1 }).coerced;
}

/** An operation, with what its selections depend on; the values of its variables are coerced. */
export interface OperationInfo extends SelectedOperation, SelectionInfo {}

export function operationInfoOf(operation: SelectedOperation, variableValues: Values): OperationInfo {
  return { ...operation, fragments: Object.fromEntries(fragmentsOf(operation.document)), variableValues };
}

/** A field of a response: all its nodes, under one name. */
export interface ResponseField {
  name: string;
  definition: GraphQLField<unknown, unknown>;
  nodes: FieldNode[];
}

export function rootFieldsOf(info: OperationInfo): ResponseField[] {
  return responseFieldsOf(info.root, [info.operation], info);
}

/** The fields of a type that are executed, deferred or not: those that the selections of these nodes have. */
export function responseFieldsOf(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode }[],
  info: SelectionInfo,
): ResponseField[] {
  return [...selectedFields(type, nodes, info).fields].flatMap(([name, nodes]) => {
    const definition = type.getFields()[nodes[0]?.name.value ?? ''];
    return definition ? [{ name, definition, nodes }] : [];
  });
}

export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
}

/** The fields of the root that describe the schema, that of a subgraph too, and have no data. */
export const introspectionFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

const nothing = {
  /** Levels of fields, one below the other. Introspection counts as one level: graphql-js limits its depth. */
  depth: 0,
  /** Fields, inline fragments and spreads: an execution or a copy of the operation walks through them. */
  selections: 0,
  /** Aliases in introspection, and of the fields that have the whole schema: each can multiply the schema. */
  introspectionAliases: 0,
  rootFields: 0,
  aliases: 0,
};

/** How large an operation is, with every fragment counted where it is spread. */
export type Complexity = typeof nothing;

/** The largest of the operations of a document, in each respect. */
export const complexityOf = memoized(measured);

/** Walks a fragment once, however often it is spread: numbers that fragments double without end are Infinity. */
function measured(document: DocumentNode): Complexity {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Complexity>();

  function ofSelections({ selectionSet }: { selectionSet?: SelectionSetNode | undefined }): Complexity {
    if (!selectionSet) return nothing;
    const total = { ...nothing };
    for (const selection of selectionSet.selections) add(total, ofSelection(selection));
    return total;
  }

  function ofSelection(node: SelectionNode): Complexity {
    const inner = node.kind === Kind.FRAGMENT_SPREAD ? ofFragment(node.name.value) : ofSelections(node);
    const selections = inner.selections + 1;
    if (node.kind !== Kind.FIELD) return { ...inner, selections };
    const name = node.name.value;
    const aliases = inner.aliases + (node.alias ? 1 : 0);
    const field = { ...inner, depth: inner.depth + 1, selections, aliases, rootFields: 1 };
    if (!introspectionFields.has(name)) return field;
    const introspectionAliases = name === '__type' ? inner.aliases : aliases;
    return { ...field, depth: 1, introspectionAliases };
  }

  function ofFragment(name: string): Complexity {
    const before = known.get(name);
    if (before) return before;
    // Validation reports a fragment that spreads itself.
    known.set(name, nothing);
    const node = fragments.get(name);
    const measure = node ? ofSelections(node) : nothing;
    known.set(name, measure);
    return measure;
  }

  const largest = { ...nothing };
  for (const node of document.definitions)
    if (node.kind === Kind.OPERATION_DEFINITION) add(largest, ofSelections(node), Math.max);
  return largest;
}

/** Adds a measure to `total`: of two selections side by side, whose levels do not add up. */
function add(total: Complexity, measure: Complexity, merge = (a: number, b: number) => a + b): void {
  for (const name of Object.keys(nothing) as (keyof Complexity)[])
    total[name] = (name === 'depth' ? Math.max : merge)(total[name], measure[name]);
}
