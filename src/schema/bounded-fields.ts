import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { isPromise, mapPromise } from '../sync-promise.ts';
import type { Context } from './builder.ts';
import { streamDirective } from './directives.ts';
import { cacheBySelection } from './selection-cache.ts';
import { type SelectionInfo, selectedFields } from './selections.ts';

type Resolver = GraphQLFieldResolver<unknown, Context>;
/** What becomes of the value of a field before it is completed. */
type Step = (value: unknown, context: Context, info: GraphQLResolveInfo) => unknown;

/**
 * Puts each field that can multiply an answer or its errors under the budget of its operation (`Context.response`): lists,
 * values with a format, and what makes a REST call of its own. It is done to the schema, so that every executor obeys.
 */
export function withBoundedFields(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  for (const type of types.filter(({ name }) => !name.startsWith('__'))) {
    for (const field of Object.values(type.getFields())) {
      const step = stepOf(field);
      if (step) field.resolve = bounded(field, step);
    }
  }
  return schema;
}

function stepOf({ type, extensions }: GraphQLField<unknown, Context>): Step | undefined {
  if (isListType(getNullableType(type))) return countElements;
  const named = getNamedType(type);
  const format = isScalarType(named) ? named.extensions.format : undefined;
  if (format) {
    return (value, { response }) =>
      value == null || format.accepts(value) ? value : response.fail(format.error);
  }
  return extensions.include || extensions.resourceInData ? (value) => value : undefined;
}

function bounded(
  { type, resolve = defaultFieldResolver }: GraphQLField<unknown, Context>,
  step: Step,
): Resolver {
  // Null in place of a value that must not be null is an error of its own.
  const mayOmit = !isNonNullType(type);
  const fail = (error: unknown, { response }: Context): null => {
    if (mayOmit) return response.fail(error);
    throw error;
  };
  return (source, args, context, info) => {
    // The response is refused: resolving a list could copy it in vain.
    if (step === countElements && context.response.isExceeded) return [];
    let value: unknown;
    try {
      value = resolve(source, args, context, info);
    } catch (error) {
      return fail(error, context);
    }
    if (!isPromise(value)) return step(value, context, info);
    return mapPromise(
      value,
      (settled) => step(settled, context, info),
      (error: unknown) => fail(error, context),
    );
  };
}

/** Counts what the elements of a list will hold; a list that is too large is not completed. */
const countElements: Step = (value, { response }, info) => {
  if (!Array.isArray(value)) return value;
  const isAffordable = response.reserve(value.length * valuesOfElement(info));
  return isAffordable ? value : [];
};

/** How many values of a response cost as much as a part of its own (`@defer`, `@stream`), or as a load. */
const valuesOfPart = 20;
const valuesOfLoad = 20;

/** How many values one element of a list is: itself, and its fields down to the next lists, which count for themselves. */
const valuesOfElement = cacheBySelection((info: GraphQLResolveInfo) => {
  const { fieldNodes, returnType } = info;
  const type = getNamedType(returnType);
  const below = isObjectType(type) ? valuesBelow(type, fieldNodes, info) : { values: 0, isConstant: true };
  const isStreamed = fieldNodes.some(({ directives }) =>
    directives?.some(({ name }) => name.value === streamDirective.name),
  );
  return {
    value: 1 + below.values + (isStreamed ? valuesOfPart : 0),
    isConstant: below.isConstant,
  };
});

function valuesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], info: SelectionInfo) {
  const { fields, deferred, isConstant } = selectedFields(type, nodes, info);
  const total = { values: fields.size + deferred * valuesOfPart, isConstant };
  for (const nodesBelow of fields.values()) {
    const field = type.getFields()[nodesBelow[0]?.name.value ?? ''];
    const named = field && getNamedType(field.type);
    if (field?.extensions.resourceInData) total.values += valuesOfLoad;
    if (!field || !isObjectType(named) || isListType(getNullableType(field.type))) continue;
    const { values, isConstant } = valuesBelow(named, nodesBelow, info);
    total.values += values;
    total.isConstant &&= isConstant;
  }
  return total;
}
