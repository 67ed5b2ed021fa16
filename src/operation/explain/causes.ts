import { type FieldNode, type GraphQLOutputType, getNamedType, isObjectType } from 'graphql';
import type { SelectionInfo } from '../../schema/selections.ts';
import type { Relation } from '../../upstream/resources.ts';
import { fieldsOf } from '../document/operation-info.ts';

/** A field that needs a REST call, with the fields of relations that it selects. */
export interface Cause {
  /** In the response, without the indices of lists: `conversationContext.sites.site`. Shortened, because every call has it. */
  path: string;
  /** Where its first node begins in the document. */
  start: number;
  relations: readonly { relation: Relation; path: string }[];
}

/** `nodes`: all nodes of the field at this path. */
export function causeOf(
  path: string,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  info: SelectionInfo,
): Cause {
  const named = getNamedType(type);
  const fields = isObjectType(named) ? fieldsOf(named, nodes, info) : [];
  const relations = fields.flatMap(({ name, definition: { extensions } }) =>
    extensions.include ? [{ relation: extensions.include, path: shortened(`${path}.${name}`) }] : [],
  );
  return { path: shortened(path), start: nodes[0]?.loc?.start ?? 0, relations };
}

/** In the order of the document, whatever was loaded first. */
export function inDocumentOrder(causes: Iterable<Cause>): Cause[] {
  return [...new Set(causes)].sort(
    (one, two) => one.start - two.start || Number(one.path > two.path) - Number(one.path < two.path),
  );
}

/** The causes of a call that returns these relations: each with the fields that read them. */
export function pathsOf(causes: Iterable<Cause>, include: Iterable<Relation>): string[] {
  return [...causes].flatMap((cause) => [cause.path, ...relationPathsOf([cause], include)]);
}

/** The fields that read these relations. */
export function relationPathsOf(causes: Iterable<Cause>, include: Iterable<Relation>): string[] {
  const wanted = new Set(include);
  return [...causes].flatMap(({ relations }) =>
    relations.filter(({ relation }) => wanted.has(relation)).map(({ path }) => path),
  );
}

/** The fields that caused a call, as a plan or a report lists them. */
export interface ListedFields {
  fields: string[];
  /** How many more there are; absent: none. */
  omittedFields?: number;
}

// An operation can select a site under any number of names, as long as a document, and every call would repeat them.
const MAX_FIELDS = 20;
const MAX_PATH_LENGTH = 200;

/** Lists each path once, the first of them only. */
export function listFields(paths: readonly string[]): ListedFields {
  const distinct = [...new Set(paths)];
  const fields = distinct.slice(0, MAX_FIELDS);
  const omittedFields = distinct.length - fields.length;
  return omittedFields > 0 ? { fields, omittedFields } : { fields };
}

/** What a plan or a report shows of a path that a client may make as long as a document. */
export function shortened(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
