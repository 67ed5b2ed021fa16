import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import { failure, type Write } from './response-text.ts';

/** Writes the values of a scalar or an enum that are not null, as `JSON.stringify` writes what the type serializes. */
export function leafWriter(type: GraphQLLeafType): Write {
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
