import {
  type FieldNode,
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
import type { Context } from '../../schema/builder.ts';
import { includesOf, objectTypesOf, type SelectionInfo, selectedFields } from '../../schema/selections.ts';
import { isPromise, whenSettled } from '../../sync-promise.ts';

/**
 * Gets whatever is thrown: the full pipeline reports an error of the request, but has no fault of the compiled
 * operation.
 */
export type Report = (error: unknown) => void;

/** Gets the response, once; undefined where the full pipeline is to report an error or more than `maxBytes`. */
type OnText = (text: string | undefined) => void;

export interface CompiledOperation {
  /** Executes it. */
  execute(context: Context, variables: Values, maxBytes: number, onText: OnText): void;
  /** Whether one load may enlarge another, so that the loads of a tick are to be merged. */
  merges: boolean;
}

/**
 * Compiles an operation into closures over the fields of the schema: from the values of its variables to the
 * loads, and from what was loaded to the text of the response. `conditions` are the variables of its `@skip`
 * and `@include`: with other values of these it is another compiled operation, so that no directive is left
 * to evaluate. `report` gets what an execution throws.
 * @throws where it cannot be compiled
 */
export function compileOperation(
  operation: SelectedOperation,
  conditions: Values,
  report: Report,
): CompiledOperation {
  const loads: GraphQLResolveInfo[] = [];
  const { schema, fragments, variableValues } = operationInfoOf(operation, conditions);
  const projection = { schema, fragments, variableValues, path: undefined, loadsElements: false, loads };
  const writeRoot = objectWriter(operation.root, [operation.operation], projection);
  const writeResponse: Write = (_, out, execution) => {
    out.text += '{"data":';
    writeRoot(undefined, out, execution);
    // After the gaps, if there are any.
    out.text += '}';
  };
  return {
    execute: (context, variables, maxBytes, onText) =>
      new Execution(context, variables, maxBytes, onText, report).start(writeResponse),
    merges: loadsDiffer(loads),
  };
}

/** Whether one load may enlarge another: two fields load the same kind of resource with other relations. */
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

/** Writes a value of one type as JSON. Throws where graphql-js would report an error. */
type Write = (value: unknown, out: Text, execution: Execution) => void;

/** A part of the JSON text of a response. Parts whose data is being loaded are gaps that are filled later. */
class Text {
  text = '';
  #before: (string | Text)[] | null = null;

  /** The part that continues here once it is loaded. */
  gap(): Text {
    const gap = new Text();
    this.#before ??= [];
    this.#before.push(this.text, gap);
    this.text = '';
    return gap;
  }

  join(): string {
    if (this.#before === null) return this.text;
    let whole = '';
    for (const part of this.#before) whole += typeof part === 'string' ? part : part.join();
    return whole + this.text;
  }
}

/** Thrown wherever graphql-js would report an error: the full pipeline executes again, and reports it. */
const failure = new GraphQLError('The full pipeline reports the error.');

/** One execution of a compiled operation. */
class Execution {
  readonly context: Context;
  readonly variables: Values;
  readonly #maxBytes: number;
  readonly #onText: OnText;
  readonly #report: Report;
  readonly #root = new Text();
  /** Gaps that are not filled, and the root. */
  #pending = 1;
  /** Characters before the gaps and in the filled ones: the least that they take in bytes. */
  #written = 0;
  #isOver = false;
  #latestJson: { value: object; text: string | undefined } | undefined;

  constructor(context: Context, variables: Values, maxBytes: number, onText: OnText, report: Report) {
    this.context = context;
    this.variables = variables;
    this.#maxBytes = maxBytes;
    this.#onText = onText;
    this.#report = report;
  }

  start(write: Write): void {
    this.#fill(this.#root, undefined, write);
  }

  /** Writes the value of a promise where `out` is now. */
  writeLater(promise: Promise<unknown>, out: Text, write: Write): void {
    this.#written += out.text.length;
    const gap = out.gap();
    this.#pending += 1;
    whenSettled(
      promise,
      (value) => this.#fill(gap, value, write),
      () => this.#end(undefined),
    );
  }

  /** Called after every field and element, so that a text grows by one value at most once it is too long. */
  checkSize(out: Text): void {
    if (this.#written + out.text.length > this.#maxBytes) throw failure;
  }

  /** As `JSON.stringify`. A large value that recurs (`health { body }` under many aliases) is written once. */
  jsonOf(value: unknown): string | undefined {
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (value !== this.#latestJson?.value) this.#latestJson = { value, text: JSON.stringify(value) };
    return this.#latestJson.text;
  }

  #fill(gap: Text, value: unknown, write: Write): void {
    if (this.#isOver) return;
    try {
      write(value, gap, this);
      this.checkSize(gap);
    } catch (error) {
      this.#report(error);
      this.#end(undefined);
      return;
    }
    this.#written += gap.text.length;
    this.#pending -= 1;
    if (this.#pending === 0) this.#end(this.#textWithin());
  }

  #textWithin(): string | undefined {
    const text = this.#root.join();
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

/** What a projection depends on besides its type and nodes. */
interface Projection extends SelectionInfo {
  /** Where its object is in the response; undefined: at the root. */
  path: GraphQLResolveInfo['path'] | undefined;
  /** Whether the elements of a list are promises. */
  loadsElements: boolean;
  /** Gets the fields that load a resource. */
  loads: GraphQLResolveInfo[];
}

/**
 * Writes an object of this type: the fields that the selections of these nodes select, in the order of the
 * response, each resolved by the schema's own resolver.
 * @throws where the selection cannot be compiled
 */
function objectWriter(
  type: GraphQLObjectType,
  nodes: Parameters<typeof selectedFields>[1],
  projection: Projection,
): Write {
  const { fields } = selectedFields(type, nodes, projection);
  const writers = [...fields].map(([name, nodesOfField], n) =>
    fieldWriter(`${n === 0 ? '{' : ','}${JSON.stringify(name)}:`, type, nodesOfField, {
      ...projection,
      path: { prev: projection.path, key: name, typename: type.name },
    }),
  );
  const end = writers.length === 0 ? '{}' : '}';
  return (source, out, execution) => {
    for (const write of writers) write(source, out, execution);
    out.text += end;
  };
}

function fieldWriter(
  start: string,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  projection: Projection,
): Write {
  const [node] = nodes as [FieldNode];
  if (node.name.value === '__typename') {
    const text = `${start}"${type.name}"`;
    return (_, out) => {
      out.text += text;
    };
  }
  const definition: GraphQLField<unknown, unknown> | undefined = type.getFields()[node.name.value];
  // The schema of the schema.
  if (!definition) throw failure;
  const { resolve, extensions } = definition;
  const loadsElements = extensions.resources !== undefined;
  // The elements of a list have it in common: its `path` is without indices.
  const info = {
    fieldName: definition.name,
    fieldNodes: nodes,
    returnType: definition.type,
    parentType: type,
    ...projection,
  } as unknown as GraphQLResolveInfo;
  const write = valueWriter(definition.type, info, { ...projection, loadsElements });
  if (!resolve) {
    // A property of what the REST API sent, which is never a promise.
    const property = definition.name;
    return (source, out, execution) => {
      out.text += start;
      writeNow((source as Values)[property], out, execution, write);
    };
  }
  if (extensions.resources || extensions.resourceInData) projection.loads.push(info);
  const readArguments = argumentsReader(definition, node);
  return (source, out, execution) => {
    out.text += start;
    const value = resolve(source, readArguments(execution.variables), execution.context, info);
    writeSettled(value, out, execution, write);
  };
}

function valueWriter(type: GraphQLOutputType, info: GraphQLResolveInfo, projection: Projection): Write {
  const write = presentWriter(getNullableType(type), info, projection);
  const mayBeNull = !isNonNullType(type);
  return (value, out, execution) => {
    if (value != null) write(value, out, execution);
    else if (mayBeNull) out.text += 'null';
    else throw failure;
  };
}

/** For values that are not null. */
function presentWriter(type: GraphQLOutputType, info: GraphQLResolveInfo, projection: Projection): Write {
  if (isListType(type)) return listWriter(valueWriter(type.ofType, info, projection), projection);
  if (isLeafType(type)) return leafWriter(type);
  if (isUnionType(type)) return unionWriter(type, info, projection);
  if (!isObjectType(type)) throw failure;
  const write = objectWriter(type, info.fieldNodes, projection);
  return (value, out, execution) => {
    if (value instanceof Error) throw failure;
    write(value, out, execution);
  };
}

/** Writes an object of one of the types of a union, which says by `resolveType` which one it is. */
function unionWriter(union: GraphQLUnionType, info: GraphQLResolveInfo, projection: Projection): Write {
  const types = union.getTypes();
  const writers = new Map(types.map((type) => [type.name, objectWriter(type, info.fieldNodes, projection)]));
  return (value, out, execution) => {
    if (value instanceof Error) throw failure;
    const name = union.resolveType?.(value, execution.context, info, union);
    const write = typeof name === 'string' ? writers.get(name) : undefined;
    if (!write) throw failure;
    write(value, out, execution);
  };
}

function listWriter(write: Write, { loadsElements }: Projection): Write {
  return (values, out, execution) => {
    if (!Array.isArray(values)) throw failure;
    out.text += '[';
    for (let n = 0; n < values.length; n += 1) {
      if (n > 0) out.text += ',';
      if (loadsElements) writeSettled(values[n], out, execution, write);
      else writeNow(values[n], out, execution, write);
    }
    out.text += ']';
  };
}

function writeSettled(value: unknown, out: Text, execution: Execution, write: Write): void {
  if (isPromise(value)) execution.writeLater(value, out, write);
  else writeNow(value, out, execution, write);
}

function writeNow(value: unknown, out: Text, execution: Execution, write: Write): void {
  write(value, out, execution);
  execution.checkSize(out);
}

/** Writes non-null values of a scalar or an enum, as `JSON.stringify` writes what the type serializes. */
function leafWriter(type: GraphQLLeafType): Write {
  const hasStrings = type === GraphQLString || type === GraphQLID || type.extensions.format !== undefined;
  return (value, out, execution) => {
    const json = hasStrings && typeof value === 'string' ? value : type.serialize(value);
    const text = typeof json === 'string' ? quoted(json) : execution.jsonOf(json ?? undefined);
    // The type has no such value.
    if (text === undefined) throw failure;
    out.text += text;
  };
}

/** All that JSON escapes; of surrogates only lone ones, which are rare enough. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them (RFC 8259, 7).
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/;

function quoted(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

/** Reads the arguments of a field from the values of the variables. @throws where the arguments do not fit */
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
      // Absent or null: a default, or an error.
      if (value == null) return read(variables);
      values[argument] = value;
    }
    return values;
  };
}
