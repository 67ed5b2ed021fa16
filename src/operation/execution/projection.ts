import {
  defaultFieldResolver,
  type FieldNode,
  GraphQLBoolean,
  type GraphQLEnumType,
  type GraphQLField,
  GraphQLFloat,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type SelectionInfo, selectedFields } from '../../schema/selections.ts';
import { isPromise } from '../../sync-promise.ts';
import { argumentsReader } from './arguments.ts';
import { type Execution, failure, type Text, type Write } from './response-text.ts';

/** A field of a projection, with all its nodes. */
export interface ProjectedField {
  definition: GraphQLField<unknown, unknown>;
  /** What its resolver gets. Its `path` is without the indices of lists, because their elements have it in common. */
  info: GraphQLResolveInfo;
}

/** What a projection depends on besides its type and nodes. */
export interface Projection extends SelectionInfo {
  /** Where its object is in the response; undefined: at the root. */
  path: GraphQLResolveInfo['path'] | undefined;
  /** Called with each field. */
  onField(field: ProjectedField): void;
}

/**
 * Writes an object of this type: the fields that the selections of these nodes select, in the order of the response, each
 * resolved by the schema's own resolver.
 * @throws where the selection cannot be compiled
 */
export function objectWriter(
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
  if (node.name.value === '__typename') return constantWriter(`${start}"${type.name}"`);
  const definition: GraphQLField<unknown, unknown> | undefined = type.getFields()[node.name.value];
  // The schema of the schema.
  if (!definition) throw failure;
  const info = infoOf(definition, type, nodes, projection);
  projection.onField({ definition, info });
  const resolve = definition.resolve ?? defaultFieldResolver;
  const readArguments = argumentsReader(definition, node);
  const write = valueWriter(definition.type, nodes, projection);
  return (source, out, execution) => {
    out.text += start;
    const value = resolve(source, readArguments(execution.variables), execution.context, info);
    writeSettled(value, out, execution, write);
  };
}

function constantWriter(text: string): Write {
  return (_, out) => {
    out.text += text;
  };
}

function infoOf(
  { name, type }: GraphQLField<unknown, unknown>,
  parentType: GraphQLObjectType,
  fieldNodes: readonly FieldNode[],
  { path, fragments, variableValues }: Projection,
): GraphQLResolveInfo {
  const info = { fieldName: name, fieldNodes, returnType: type, parentType, path, fragments, variableValues };
  return info as unknown as GraphQLResolveInfo;
}

function valueWriter(type: GraphQLOutputType, nodes: readonly FieldNode[], projection: Projection): Write {
  const write = presentWriter(getNullableType(type), nodes, projection);
  const mayBeNull = !isNonNullType(type);
  return (value, out, execution) => {
    if (value != null) write(value, out, execution);
    else if (mayBeNull) out.text += 'null';
    else throw failure;
  };
}

/** For values that are not null. */
function presentWriter(type: GraphQLOutputType, nodes: readonly FieldNode[], projection: Projection): Write {
  if (isListType(type)) return listWriter(valueWriter(type.ofType, nodes, projection));
  if (isLeafType(type)) return leafWriter(type);
  const named = getNamedType(type);
  if (!isObjectType(named)) throw failure;
  const write = objectWriter(named, nodes, projection);
  return (value, out, execution) => {
    if (value instanceof Error) throw failure;
    write(value, out, execution);
  };
}

function listWriter(write: Write): Write {
  return (values, out, execution) => {
    if (!Array.isArray(values)) throw failure;
    out.text += '[';
    for (let n = 0; n < values.length; n += 1) {
      if (n > 0) out.text += ',';
      writeSettled(values[n], out, execution, write);
    }
    out.text += ']';
  };
}

function writeSettled(value: unknown, out: Text, execution: Execution, write: Write): void {
  if (isPromise(value)) {
    execution.writeLater(value, out, write);
    return;
  }
  write(value, out, execution);
  execution.checkSize(out);
}

/** Writes the values of a scalar or an enum that are not null, as `JSON.stringify` writes what the type serializes. */
function leafWriter(type: GraphQLLeafType): Write {
  if (isEnumType(type)) return enumWriter(type);
  const hasStrings = type === GraphQLString || type === GraphQLID || type.extensions.format !== undefined;
  return (value, out) => {
    if (hasStrings && typeof value === 'string') out.text += quoted(value);
    else if (type === GraphQLBoolean && typeof value === 'boolean') out.text += value;
    else if (type === GraphQLFloat && Number.isFinite(value)) out.text += value;
    else out.text += serialized(type, value);
  };
}

function enumWriter(type: GraphQLEnumType): Write {
  const texts = new Map(type.getValues().map(({ name, value }) => [value, `"${name}"`]));
  return (value, out) => {
    out.text += texts.get(value) ?? serialized(type, value);
  };
}

/** @throws where the type has no such value */
function serialized(type: GraphQLLeafType, value: unknown): string {
  const text = JSON.stringify(type.serialize(value) ?? undefined);
  if (text === undefined) throw failure;
  return text;
}

/** All that JSON escapes; of surrogates only lone ones, which are rare enough. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them (RFC 8259, 7).
const escaped = /[\u0000-\u001f"\\\ud800-\udfff]/;

function quoted(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}
