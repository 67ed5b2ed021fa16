import { type DocumentNode, type GraphQLSchema, isObjectType } from 'graphql';
import { selectOperation, writtenFields } from './fields.ts';

/* The fields of a schema by their coordinates, `Site.city` (GraphQL, 3.14), without those of introspection. */

/** Whether the schema has this field. */
export function hasField(schema: GraphQLSchema, coordinate: string): boolean {
  const [typeName = '', fieldName = '', ...more] = coordinate.split('.');
  const type = schema.getType(typeName);
  if (more.length > 0 || isIntrospection(typeName) || !isObjectType(type)) return false;
  return Object.hasOwn(type.getFields(), fieldName);
}

/**
 * Returns the fields that an operation of a valid document selects, each once, whatever its directives say: at
 * most as many as the schema has.
 */
export function coordinatesIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): string[] {
  const operation = selectOperation(schema, document, operationName || null);
  const found = new Set<string>();
  for (const { type, definition } of operation ? writtenFields(operation) : []) {
    if (!isIntrospection(type.name) && !isIntrospection(definition.name))
      found.add(`${type.name}.${definition.name}`);
  }
  return [...found];
}

/** Names of the introspection system begin with two underscores (GraphQL, 4). */
function isIntrospection(name: string): boolean {
  return name.startsWith('__');
}
