import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { schema } from '../../src/schema/index.ts';

/** A selection of every field of a type and of what it holds; of `except`, no field. */
export function everyField(typeName: string, except: readonly string[] = []): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type.`);
  const fields = Object.values(type.getFields()).filter(
    (field) => !except.includes(`${typeName}.${field.name}`),
  );
  const selections = fields.map((field) => {
    const inner = getNamedType(field.type);
    return isLeafType(inner) ? field.name : `${field.name} ${everyField(inner.name, except)}`;
  });
  return `{ ${selections.join(' ')} }`;
}
