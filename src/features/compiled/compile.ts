import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLError,
  type GraphQLField,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLString,
  type GraphQLUnionType,
  getArgumentValues,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type ValueNode,
} from 'graphql';
import { operationInfoOf, type SelectedOperation, type Values } from '../../operation/fields.ts';
import { isPromise, whenSettled } from '../../rest/sync-promise.ts';
import type { Context } from '../../schema/builder.ts';
import { includesOf, objectTypesOf, type SelectionInfo, selectedFields } from '../../schema/selections.ts';

/**
 * Gets whatever is thrown: the full pipeline reports an error of the request, but has no fault of the compiled
 * operation.
 */
export type Report = (error: unknown) => void;

/** Gets the response, once; undefined if the full pipeline is to report an error or more than `maxBytes`. */
type OnText = (text: string | undefined) => void;

export interface CompiledOperation {
  execute(context: Context, variables: Values, maxBytes: number, onText: OnText): void;
  /** True if one load may enlarge another, so that the loads of a tick are to be merged. */
  merges: boolean;
}

/**
 * Compiles an operation into closures over the fields of the schema: from the values of its variables to the
 * loads, and from loaded values to the data of the response, which is written as JSON once it is complete.
 * `conditions` are the variables of its `@skip` and `@include`: with other values of these it is another
 * compiled operation, so that no directive is left to evaluate. `report` gets what an execution throws.
 * @throws if it cannot be compiled
 */
export function compileOperation(
  operation: SelectedOperation,
  conditions: Values,
  report: Report,
): CompiledOperation {
  const loads: GraphQLResolveInfo[] = [];
  const { schema, fragments, variableValues } = operationInfoOf(operation, conditions);
  const projection = { schema, fragments, variableValues, path: undefined, loadsElements: false, loads };
  const complete = objectCompleter(operation.root, [operation.operation], projection);
  return {
    execute: (context, variables, maxBytes, onText) =>
      new Execution(context, variables, maxBytes, onText, report).start(complete),
    merges: loadsDiffer(loads),
  };
}

/** True if one load may enlarge another: two fields load the same kind of resource with other relations. */
function loadsDiffer(loads: readonly GraphQLResolveInfo[]): boolean {
  const includes = new Map<GraphQLObjectType, string>();
  return loads.some((info) => {
    const include = includesOf(info).toSorted().join();
    return objectTypesOf(info.returnType).some((type) => {
      const before = includes.get(type) ?? include;
      includes.set(type, include);
      return before !== include;
    });
  });
}

/** Returns a value of one type as the response has it. Throws if graphql-js would report an error. */
type Complete = (value: unknown, execution: Execution) => unknown;

/** An object or a list of the response. */
type Target = Record<string | number, unknown>;

/** Thrown if graphql-js would report an error, or nothing can be compiled: the full pipeline reports it. */
const failure = new GraphQLError('The full pipeline reports the error.');

/** One execution of a compiled operation. */
class Execution {
  readonly context: Context;
  readonly variables: Values;
  readonly #maxBytes: number;
  readonly #onText: OnText;
  readonly #report: Report;
  readonly #response: Target = { data: null };
  /** Promises that are not settled, and the data. */
  #pending = 1;
  /** The least bytes that the response takes so far. */
  #bytes = 0;
  #isOver = false;

  constructor(context: Context, variables: Values, maxBytes: number, onText: OnText, report: Report) {
    this.context = context;
    this.variables = variables;
    this.#maxBytes = maxBytes;
    this.#onText = onText;
    this.#report = report;
  }

  start(complete: Complete): void {
    this.#set(this.#response, 'data', undefined, complete);
  }

  /** Sets an element of `target`, at once or when it is loaded. */
  setSettled(target: Target, name: string | number, value: unknown, complete: Complete): void {
    if (!isPromise(value)) {
      target[name] = complete(value, this);
      return;
    }
    this.#pending += 1;
    whenSettled(
      value,
      (settled) => this.#set(target, name, settled, complete),
      () => this.#end(undefined),
    );
  }

  /** Called before a value is kept, with the least bytes that it takes: a response stops growing at its limit. */
  reserve(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) throw failure;
  }

  #set(target: Target, name: string | number, value: unknown, complete: Complete): void {
    if (this.#isOver) return;
    let text: string | undefined;
    try {
      target[name] = complete(value, this);
      this.#pending -= 1;
      if (this.#pending > 0) return;
      text = this.#textWithin();
    } catch (error) {
      this.#report(error);
    }
    this.#end(text);
  }

  #textWithin(): string | undefined {
    const text = JSON.stringify(this.#response);
    // A character takes three bytes at most.
    const isWithin = text.length * 3 <= this.#maxBytes || Buffer.byteLength(text) <= this.#maxBytes;
    return isWithin ? text : undefined;
  }

  #end(text: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onText(text);
  }
}

/** The inputs of a projection besides its type and nodes. */
interface Projection extends SelectionInfo {
  /** The place of its object in the response; undefined: at the root. */
  path: GraphQLResolveInfo['path'] | undefined;
  /** True if the elements of a list are promises. */
  loadsElements: boolean;
  /** Gets the fields that load a resource. */
  loads: GraphQLResolveInfo[];
}

/** Sets one field of an object in the response. */
type SetField = (source: unknown, target: Target, execution: Execution) => void;

/**
 * Completes an object of this type: the fields that the selections of these nodes select, in the order of the
 * response, each resolved by the schema's own resolver.
 * @throws if the selection cannot be compiled
 */
function objectCompleter(
  type: GraphQLObjectType,
  nodes: Parameters<typeof selectedFields>[1],
  projection: Projection,
): Complete {
  const { fields } = selectedFields(type, nodes, projection);
  // All objects begin as a copy of it, so that they have one shape, and the order of the fields.
  const template: Target = {};
  // They include the quotation marks, colons, commas and braces.
  let bytes = 1;
  const setters: SetField[] = [];
  for (const [name, nodesOfField] of fields) {
    // A property of this name would set the prototype.
    if (name === '__proto__') throw failure;
    bytes += name.length + 4;
    template[name] = null;
    const path = { prev: projection.path, key: name, typename: type.name };
    const [{ name: field }] = nodesOfField as [FieldNode];
    if (field.value === '__typename') template[name] = type.name;
    else setters.push(fieldSetter(name, type, nodesOfField, { ...projection, path }));
  }
  return (source, execution) => {
    execution.reserve(bytes);
    const target = { ...template };
    for (const setField of setters) setField(source, target, execution);
    return target;
  };
}

function fieldSetter(
  name: string,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  projection: Projection,
): SetField {
  const [node] = nodes as [FieldNode];
  const definition: GraphQLField<unknown, unknown> | undefined = type.getFields()[node.name.value];
  // A field of introspection is not in its type.
  if (!definition) throw failure;
  const { resolve, extensions } = definition;
  const loadsElements = extensions.resources !== undefined;
  // The elements of a list share it: its `path` has no indices.
  const info = {
    ...projection,
    fieldName: definition.name,
    fieldNodes: nodes,
    returnType: definition.type,
    parentType: type,
  } as unknown as GraphQLResolveInfo;
  const complete = valueCompleter(definition.type, info, { ...projection, loadsElements });
  if (!resolve) {
    // A property of what the REST API sent, which is never a promise.
    const property = definition.name;
    const valueType = getNullableType(definition.type);
    const isOfStrings = hasStrings(valueType);
    const isOfBooleans = valueType === GraphQLBoolean;
    return (source, target, execution) => {
      const value = (source as Values)[property];
      // Most are strings or Booleans, which need no further call.
      if (isOfStrings && typeof value === 'string') {
        execution.reserve(value.length + 2);
        target[name] = value;
      } else if (isOfBooleans && typeof value === 'boolean') target[name] = value;
      else target[name] = complete(value, execution);
    };
  }
  if (extensions.resources || extensions.resourceInData) projection.loads.push(info);
  const readArguments = argumentsReader(definition, node);
  // Its resolver checks the arguments of the fields below, by their variables, before it makes a call.
  const hasArgumentsBelow = objectTypesOf(definition.type).some((object) =>
    Object.values(object.getFields()).some(({ args }) => args.length > 0),
  );
  return (source, target, execution) => {
    const { variables } = execution;
    const current = hasArgumentsBelow ? { ...info, variableValues: variables } : info;
    const value = resolve(source, readArguments(variables), execution.context, current);
    execution.setSettled(target, name, value, complete);
  };
}

function valueCompleter(type: GraphQLOutputType, info: GraphQLResolveInfo, projection: Projection): Complete {
  const complete = presentCompleter(getNullableType(type), info, projection);
  const mayBeNull = !isNonNullType(type);
  return (value, execution) => {
    if (value != null) return complete(value, execution);
    if (mayBeNull) return null;
    throw failure;
  };
}

/** For values that are not null. */
function presentCompleter(
  type: GraphQLOutputType,
  info: GraphQLResolveInfo,
  projection: Projection,
): Complete {
  if (isListType(type)) return listCompleter(valueCompleter(type.ofType, info, projection), projection);
  if (isLeafType(type)) return leafCompleter(type);
  if (isUnionType(type)) return unionCompleter(type, info, projection);
  if (!isObjectType(type)) throw failure;
  return objectCompleter(type, info.fieldNodes, projection);
}

/** Completes an object of one of the types of a union, which says by `resolveType` which one it is. */
function unionCompleter(union: GraphQLUnionType, info: GraphQLResolveInfo, projection: Projection): Complete {
  const types = union.getTypes();
  const ofTypes = new Map(
    types.map((type) => [type.name, objectCompleter(type, info.fieldNodes, projection)]),
  );
  return (value, execution) => {
    const name = union.resolveType?.(value, execution.context, info, union);
    const complete = typeof name === 'string' ? ofTypes.get(name) : undefined;
    if (!complete) throw failure;
    return complete(value, execution);
  };
}

function listCompleter(complete: Complete, { loadsElements }: Projection): Complete {
  return (values, execution) => {
    if (!Array.isArray(values)) throw failure;
    execution.reserve(values.length + 1);
    // A copy, because an empty list would grow several times.
    const list: unknown[] = values.slice();
    for (let n = 0; n < values.length; n += 1) {
      if (loadsElements) execution.setSettled(list as unknown as Target, n, values[n], complete);
      else list[n] = complete(values[n], execution);
    }
    return list;
  };
}

/** True if a string is its own serialization. */
function hasStrings(type: GraphQLOutputType): boolean {
  const isText = type === GraphQLString || type === GraphQLID;
  return isText || (isLeafType(type) && type.extensions.format !== undefined);
}

/** Completes non-null values of a scalar or an enum, as the type serializes them. */
function leafCompleter(type: GraphQLLeafType): Complete {
  const isOfStrings = hasStrings(type);
  return (value, execution) => {
    const json = isOfStrings && typeof value === 'string' ? value : type.serialize(value);
    // The type has no such value.
    if (json == null) throw failure;
    if (typeof json === 'string') execution.reserve(json.length + 2);
    else if (typeof json === 'object') execution.reserve(JSON.stringify(json).length);
    return json;
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

/** Reads the arguments of a field from the values of the variables. @throws if the arguments do not fit */
function argumentsReader(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Values) => Values {
  const given = node.arguments ?? [];
  if (!given.some(({ value }) => hasVariable(value))) {
    const constant = getArgumentValues(field, node);
    return () => constant;
  }
  const read = (variables: Values) => getArgumentValues(field, node, variables);
  const plain = given.flatMap(({ name, value }) =>
    value.kind === Kind.VARIABLE ? [[name.value, value.name.value] as const] : [],
  );
  if (plain.length < field.args.length) return read;
  // Each argument is a variable, which is of the argument's type and coerced already.
  return (variables) => {
    const values: Values = {};
    for (const [argument, variable] of plain) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      // An absent or null value leads to a default, or to an error.
      if (value == null) return read(variables);
      values[argument] = value;
    }
    return values;
  };
}
