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
    return messageOf(error);
  }
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation.';
  if (!schema) return undefined;
  const [error] = validate(schema, document);
  if (error) return error.message;
  const operation = operations.find(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.name?.value === operationName,
  );
  const chosen = operation ?? operations[0];
  if (chosen?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const { errors } = getVariableValues(schema, chosen.variableDefinitions ?? [], variables ?? {});
  return errors?.[0]?.message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
