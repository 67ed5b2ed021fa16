import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/* The fields of a schema by their coordinates, `Site.city` (GraphQL, 3.14), without those of introspection. */

/** Returns the fields that an operation of a valid document selects, each once, whatever its directives say. */
export function coordinatesIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): string[] {
  const operation = getOperationAST(document, operationName || null);
  const alone = operation && separateOperations(document)[operation.name?.value ?? ''];
  if (!alone) return [];
  const found = new Set<string>();
  const types = new TypeInfo(schema);
  const onField = () => {
    const coordinate = `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
    // Names of the introspection system begin with two underscores (GraphQL, 4).
    if (!/\b__/.test(coordinate)) found.add(coordinate);
  };
  visit(alone, visitWithTypeInfo(types, { Field: onField }));
  return [...found];
}
