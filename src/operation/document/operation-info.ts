import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Input } from '../../input.ts';
import type { Resource } from '../../schema/resources.ts';
import { type SelectionInfo, selectedFields } from '../../schema/selections.ts';

/** An operation of a document. */
export interface SelectedOperation {
  schema: GraphQLSchema;
  query: GraphQLObjectType;
  document: DocumentNode;
  operation: OperationDefinitionNode;
}

/** Undefined where the document has no such operation: the execution reports why. */
export function selectOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): SelectedOperation | undefined {
  const operation = getOperationAST(document, operationName);
  const query = schema.getQueryType();
  return operation && query ? { schema, query, document, operation } : undefined;
}

/** An operation and what is known of it before its execution. */
export interface OperationInfo extends SelectionInfo {
  query: GraphQLObjectType;
  operation: OperationDefinitionNode;
}

/** `variableValues`: coerced. */
export function operationInfoOf(
  { query, document, operation }: SelectedOperation,
  variableValues: Record<string, unknown>,
): OperationInfo {
  return { query, operation, fragments: Object.fromEntries(fragmentsOf(document)), variableValues };
}

/** The values of an operation's variables; undefined where one does not fit. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: { readonly [name: string]: unknown } | null | undefined,
): Record<string, unknown> | undefined {
  // One misfit is enough: each is an error, with a message, and there can be as many as a body holds.
  return getVariableValues(schema, variableDefinitions, values ?? {}, { maxErrors: 1 }).coerced;
}

/** The fragments of a document, by their names. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
}

/** A field of a response: all its nodes, under one name. */
export interface ResponseField {
  name: string;
  definition: GraphQLField<unknown, unknown>;
  nodes: FieldNode[];
}

/** The fields of a type that the selections of these nodes have executed, deferred or not. */
export function fieldsOf(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode }[],
  info: SelectionInfo,
): ResponseField[] {
  return [...selectedFields(type, nodes, info).fields].flatMap(([name, nodes]) => {
    const definition = type.getFields()[nodes[0]?.name.value ?? ''];
    return definition ? [{ name, definition, nodes }] : [];
  });
}

/** What the arguments of a field name; nothing where they do not fit, which costs the field and no call. */
export function resourcesOf(field: ResponseField, info: SelectionInfo, input: Input): Resource[] {
  const { resources } = field.definition.extensions;
  const values = resources && argumentsOf(field, info);
  return values ? resources(values, input) : [];
}

/** How many resources the arguments of a field name, duplicates and all; none in a list that is refused for its length. */
export function namesIn(field: ResponseField, info: SelectionInfo, maxIds: number): number {
  if (!field.definition.extensions.resources) return 0;
  const { ids } = argumentsOf(field, info) ?? {};
  if (!Array.isArray(ids)) return 1;
  return ids.length > maxIds ? 1 : ids.length;
}

/** Undefined where the arguments do not fit. */
function argumentsOf({ definition, nodes: [node] }: ResponseField, info: SelectionInfo) {
  if (!node) return undefined;
  try {
    return getArgumentValues(definition, node, info.variableValues);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
