import {
  type DocumentNode,
  type ExecutionArgs,
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
import type { Input } from '../input.ts';
import type { Resource } from '../schema/resources.ts';
import { collect, type Reading } from '../schema/selections.ts';

/** An operation and all that tells its meaning before it is executed. */
export interface OperationReading extends Reading {
  query: GraphQLObjectType;
  operation: OperationDefinitionNode;
}

/** Undefined where the operation cannot be executed: that is for the execution to say. */
export function readingOf({
  schema,
  document,
  operationName,
  variableValues,
}: ExecutionArgs): OperationReading | undefined {
  const operation = getOperationAST(document, operationName);
  const query = schema.getQueryType();
  if (!operation || !query) return undefined;
  const coerced = variablesOf(schema, operation, variableValues);
  return (
    coerced && {
      query,
      operation,
      fragments: Object.fromEntries(fragmentsOf(document)),
      variableValues: coerced,
    }
  );
}

/** The values of an operation's variables; undefined where one does not fit. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: ExecutionArgs['variableValues'],
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

/** The fields of a type that the selections of these nodes have executed, put off or not. */
export function fieldsOf(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode }[],
  info: Reading,
): ResponseField[] {
  const fields = new Map<string, ResponseField>();
  const found = (node: FieldNode) => {
    const name = (node.alias ?? node.name).value;
    const definition = type.getFields()[node.name.value];
    if (!definition) return;
    const field = fields.get(name) ?? { name, definition, nodes: [] };
    field.nodes.push(node);
    fields.set(name, field);
  };
  const look = { type, info, isNow: false, isConstant: true, seen: new Set<never>(), found };
  for (const { selectionSet } of nodes) collect(selectionSet, look);
  return [...fields.values()];
}

/** What the arguments of a field name; nothing where they do not fit, which costs the field and no call. */
export function resourcesOf(
  { definition, nodes: [node] }: ResponseField,
  info: Reading,
  input: Input,
): Resource[] {
  const { resources } = definition.extensions;
  if (!resources || !node) return [];
  try {
    return resources(getArgumentValues(definition, node, info.variableValues), input);
  } catch (error) {
    if (error instanceof GraphQLError) return [];
    throw error;
  }
}
