import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { conversationIds, siteIds } from '../../support/documents.ts';
import { variantCount } from './selection.ts';

/** The value of an argument and its form in the operation. A list may also be written element by element. */
export type Value =
  | { as: 'literal' | 'variable' | 'default'; json: unknown }
  | { as: 'elements'; elements: Value[] };

/** Lists of arguments by name, for each field that takes any: `Query.site` → the variants of its arguments. */
export type Variants = Record<string, Record<string, Value>[]>;

/**
 * A few argument lists for every field. Fields with the same list have the same response name, so that they merge, and
 * all others differ.
 */
export function variantsOf(schema: GraphQLSchema): fc.Arbitrary<Variants> {
  const taking = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
    .filter(({ field }) => field.args.length > 0);
  return fc.record(
    Object.fromEntries(
      taking.map(({ type, field }) => [
        `${type.name}.${field.name}`,
        fc.array(argumentsOf(field), { minLength: variantCount, maxLength: variantCount }),
      ]),
    ),
  );
}

function argumentsOf(field: GraphQLField<unknown, unknown>): fc.Arbitrary<Record<string, Value>> {
  const values = Object.fromEntries(field.args.map((arg) => [arg.name, argumentValue(arg, field)]));
  const requiredKeys = field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  return fc.record(values, { requiredKeys }).filter(({ first, last }) => !(isGiven(first) && isGiven(last)));
}

/** Without `first` together with `last`, which rejects the operation and has tests of its own. */
function isGiven(value: Value | undefined): boolean {
  return value?.as === 'elements' || (value?.json ?? null) !== null;
}

function argumentValue(
  { type, name }: GraphQLArgument,
  field: GraphQLField<unknown, unknown>,
): fc.Arbitrary<Value> {
  const single = scalarOf(getNamedType(type).name, getNamedType(field.type).name, name);
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (!isListType(nullable)) {
    return written(nullable === type ? fc.option(single, { freq: 6 }) : single);
  }
  const lengths = { maxLength: 5, size: 'max' } as const;
  return fc.oneof(
    written(fc.array(single, lengths)),
    fc.record({ as: fc.constant('elements' as const), elements: fc.array(written(single), lengths) }),
  );
}

function written(json: fc.Arbitrary<unknown>): fc.Arbitrary<Value> {
  return fc.record({ as: fc.constantFrom('literal', 'variable', 'default'), json });
}

function scalarOf(type: string, resource: string, name: string): fc.Arbitrary<unknown> {
  if (type === 'ID' && resource === 'Site') return fc.constantFrom(...siteIds);
  if (type === 'ID' && resource === 'ConversationContext') return fc.constantFrom(...conversationIds);
  if (type === 'Int') return fc.nat(5);
  if (type === 'Boolean') return fc.boolean();
  throw new Error(
    `Say here what to give for the argument ${name}: ${type} of a field that returns ${resource}.`,
  );
}
