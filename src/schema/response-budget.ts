import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
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
import { isPromise, mapPromise } from '../rest/sync-promise.ts';
import { streamDirective } from './directives.ts';
import { cacheBySelection } from './selection-cache.ts';
import { objectTypesOf, type SelectionInfo, selectedFields } from './selections.ts';

export interface ResponseLimits {
  /** Fields and list elements of the data. */
  maxValues: number;
  maxErrors: number;
}

/** More errors are made than listed, so that the listed ones are the first by their place in the document. */
const errorsForEachListed = 10;

/** Counts values while fields are resolved: a resource may be selected any number of times for one REST call. */
export class ResponseBudget {
  /** Errors that were not made: their fields are null. */
  omittedErrors = 0;
  readonly limits: ResponseLimits;
  #values = 0;
  #errors = 0;

  constructor(limits: ResponseLimits) {
    this.limits = limits;
  }

  get isExceeded(): boolean {
    return this.#values > this.limits.maxValues;
  }

  /** Counts `values` more; false if the response is then too large. */
  reserve(values: number): boolean {
    this.#values += values;
    return !this.isExceeded;
  }

  /** The outcome of a failed field: null, once there are enough errors. @throws the error itself, until then */
  fail(error: unknown): null {
    if (this.#errors >= this.limits.maxErrors * errorsForEachListed) {
      this.omittedErrors += 1;
      return null;
    }
    this.#errors += 1;
    throw error;
  }
}

type Context = { response: ResponseBudget };

/** Wraps resolvers so that they count against the budget of their operation (`Context.response`). */
export function withBoundedFields(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  for (const type of types.filter(({ name }) => !name.startsWith('__')))
    for (const field of Object.values(type.getFields())) boundField(field);
  return schema;
}

export function boundField(field: GraphQLField<unknown, Context>): void {
  const { type, extensions, resolve = defaultFieldResolver } = field;
  const isList = isListType(getNullableType(type));
  const named = getNamedType(type);
  const format = !isList && isScalarType(named) ? named.extensions.format : undefined;
  if (!isList && !format && !extensions.include && !extensions.resourceInData) return;

  /** Null in place of a value that must not be null is an error of its own. */
  const fail = (error: unknown, { response }: Context): null => {
    if (!isNonNullType(type)) return response.fail(error);
    throw error;
  };
  const bound = (value: unknown, { response }: Context, info: GraphQLResolveInfo): unknown => {
    if (format) return value == null || format.accepts(value) ? value : response.fail(format.error);
    if (!isList || !Array.isArray(value)) return value;
    // A list that is too large is not completed.
    return response.reserve(value.length * valuesOfElement(info)) ? value : [];
  };
  field.resolve = (source, args, context, info) => {
    // The response is rejected: resolving a list could copy it in vain.
    if (isList && context.response.isExceeded) return [];
    let value: unknown;
    try {
      value = resolve(source, args, context, info);
    } catch (error) {
      return fail(error, context);
    }
    if (!isPromise(value)) return bound(value, context, info);
    return mapPromise(
      value,
      (settled) => bound(settled, context, info),
      (error) => fail(error, context),
    );
  };
}

/** How many values cost as much as a part of a response (`@defer`, `@stream`), or as a load. */
const partCost = 20;
/** How many selections of one field are walked through at the cost of a value, again in each element of a list. */
const selectionsPerValue = 10;

/** The values of one element of a list: itself, and its fields down to the next lists. */
const valuesOfElement = cacheBySelection((info: GraphQLResolveInfo) => {
  const { fieldNodes, returnType } = info;
  const below = objectTypesOf(returnType).map((type) => valuesBelow(type, fieldNodes, info));
  const isStreamed = fieldNodes.some(({ directives }) =>
    directives?.some(({ name }) => name.value === streamDirective.name),
  );
  const most = Math.max(0, ...below.map(({ values }) => values));
  const isConstant = below.every((one) => one.isConstant);
  return { value: 1 + most + (isStreamed ? partCost : 0), isConstant };
});

function valuesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], info: SelectionInfo) {
  const { fields, deferred, isConstant } = selectedFields(type, nodes, info);
  const total = { values: fields.size + deferred * partCost, isConstant };
  for (const nodesBelow of fields.values()) {
    total.values += Math.floor(nodesBelow.length / selectionsPerValue);
    const field = type.getFields()[nodesBelow[0]?.name.value ?? ''];
    const named = field && getNamedType(field.type);
    if (field?.extensions.resourceInData) total.values += partCost;
    if (!field || !isObjectType(named) || isListType(getNullableType(field.type))) continue;
    const { values, isConstant } = valuesBelow(named, nodesBelow, info);
    total.values += values;
    total.isConstant &&= isConstant;
  }
  return total;
}
