import { type DocumentNode, type GraphQLSchema, getVariableValues, Kind, parse, validate } from 'graphql';

/** Why the gateway would reject an operation; undefined if the page finds no error or cannot decide. */
export function problemOf(
  query: string,
  operationName: string | undefined,
  variables: Record<string, unknown> | undefined,
  schema: GraphQLSchema | null | undefined,
): string | undefined {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation.';
  if (!schema) return undefined;
  const [error] = validate(schema, document);
  if (error) return error.message;
  const chosen = operations.find(({ name }) => name?.value === operationName) ?? operations[0];
  const { errors } = getVariableValues(schema, chosen?.variableDefinitions ?? [], variables ?? {});
  return errors?.[0]?.message;
}

/** Whether a text has nothing but what GraphQL ignores: blanks, commas and comments. */
export function isEmpty(query: string): boolean {
  return !/[^\s,\ufeff]/.test(query.replace(/#[^\n\r]*/g, ''));
}
