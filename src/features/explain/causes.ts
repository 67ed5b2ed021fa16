import type { FieldNode, GraphQLOutputType } from 'graphql';
import { responseFieldsOf } from '../../operation/fields.ts';
import type { Relation } from '../../rest/resources.ts';
import { objectTypesOf, type SelectionInfo } from '../../schema/selections.ts';

/** A field that needs a REST call, and the fields of relations that it selects. */
export type Cause = readonly CausingField[];

interface CausingField {
  /** In the response, without indices: `conversationContext.sites.site`. Shortened: every call has it. */
  path: string;
  /** Undefined if it reads no relation. */
  relation: Relation | undefined;
}

/** `nodes`: all nodes of the field at this path. */
export function causeOf(
  path: string,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  info: SelectionInfo,
): Cause {
  const fields: CausingField[] = [{ path: shortened(path), relation: undefined }];
  const below = objectTypesOf(type).flatMap((one) => responseFieldsOf(one, nodes, info));
  for (const { name, definition } of below) {
    const relation = definition.extensions.include;
    if (relation) fields.push({ path: shortened(`${path}.${name}`), relation });
  }
  return fields;
}

/** The fields that caused a call, as a plan or a report lists them. */
export interface ListedFields {
  fields: string[];
  /** How many more there are; absent: none. */
  omittedFields?: number;
}

// An operation can select a site under many names, as long as a document, and every call would repeat them.
const MAX_FIELDS = 20;
const MAX_PATH_LENGTH = 200;

/** Lists the fields that read one of these relations, or undefined: none. Each path once, the first ones only. */
export function listFields(
  causes: readonly Cause[],
  relations: Iterable<Relation | undefined>,
): ListedFields {
  const wanted = new Set(relations);
  const fields = causes.flat().filter(({ relation }) => wanted.has(relation));
  const paths = [...new Set(fields.map(({ path }) => path))];
  const omittedFields = paths.length - MAX_FIELDS;
  return { fields: paths.slice(0, MAX_FIELDS), ...(omittedFields > 0 && { omittedFields }) };
}

/** A path as a plan or a report shows it: a client may make it as long as a document. */
export function shortened(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
