import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Input } from '../../input.ts';
import type { Resource } from '../../schema/resources.ts';
import { includesOf, type SelectionInfo } from '../../schema/selections.ts';
import type { Relation } from '../../upstream/resources.ts';
import { nameOf, resourcesOf } from '../checks.ts';
import { fieldsOf, type OperationInfo, type ResponseField } from '../fields.ts';

/** A resource that an operation needs, or one for each element of a list, and the fields that read it. */
export interface Need {
  kind: Resource['kind'];
  /** Null where the data name it. */
  id: string | null;
  /** The list for each of whose elements it is needed, by its path in the response; absent: needed once. */
  forEach?: string;
  causes: Set<Cause>;
  /** The relations that the first call includes. */
  now: Set<Relation>;
  /** The relations that are deferred, and that the first call does not include. */
  later: Set<Relation>;
}

/** Where a field is. */
interface Place {
  path: readonly string[];
  /** Equal for fields with equal data: what is loaded at the root, and the fields below, without aliases. */
  origin: string;
}

/** What an operation needs, by its document and variables alone. Each resource is listed once. */
export function needsOf(info: OperationInfo, input: Input): Need[] {
  const needs = new Map<string, Need>();

  function visit(type: GraphQLObjectType, nodes: Parameters<typeof fieldsOf>[1], { path, origin }: Place) {
    for (const field of fieldsOf(type, nodes, info)) {
      const { name } = field.definition;
      visitField(field, { path: [...path, field.name], origin: `${origin}.${name}` });
    }
  }

  function visitField(field: ResponseField, { path, origin }: Place): void {
    const { nodes, definition } = field;
    const { resources, resourceInData: kind } = definition.extensions;
    const named = resourcesOf(field, info, input).map((resource) => ({ id: null, ...resource }));
    if (kind || named.length > 0) {
      const cause = causeOf(path.join('.'), definition.type, nodes, info);
      const now = includesOf({ ...info, fieldNodes: nodes, returnType: definition.type });
      // A field that loads by an id from the data is a field of an element of a list.
      const forEach = shortened(path.slice(0, -1).join('.'));
      if (kind) need(origin, { kind, id: null, forEach }, cause, now);
      for (const { kind, id } of named) need(nameOf({ kind, id }), { kind, id }, cause, now);
    }
    // Where no argument is valid, there is nothing to select from.
    if (resources && named.length === 0) return;
    const object = getNamedType(definition.type);
    if (!isObjectType(object)) return;
    visit(object, nodes, { path, origin: resources ? named.map(nameOf).sort().join() : origin });
  }

  function need(
    name: string,
    resource: Pick<Need, 'kind' | 'id' | 'forEach'>,
    cause: Cause,
    now: readonly Relation[],
  ): void {
    const known = needs.get(name) ?? { ...resource, causes: new Set(), now: new Set(), later: new Set() };
    needs.set(name, known);
    known.causes.add(cause);
    for (const relation of now) known.now.add(relation);
    for (const { relation } of cause.relations) known.later.add(relation);
  }

  visit(info.root, [info.operation], { path: [], origin: '' });
  for (const { now, later } of needs.values()) for (const relation of now) later.delete(relation);
  return [...needs.values()];
}

/** A field that needs a REST call, with the fields of relations that it selects. */
export interface Cause {
  /** In the response, without indices: `conversationContext.sites.site`. Shortened: every call has it. */
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

// An operation can select a site under any number of names, as long as a document, and every call would
// repeat them.
const MAX_FIELDS = 20;
const MAX_PATH_LENGTH = 200;

/** Lists each path once, the first of them only. */
export function listFields(paths: readonly string[]): ListedFields {
  const distinct = [...new Set(paths)];
  const fields = distinct.slice(0, MAX_FIELDS);
  const omittedFields = distinct.length - fields.length;
  return omittedFields > 0 ? { fields, omittedFields } : { fields };
}

/** A path as a plan or a report shows it: a client may make it as long as a document. */
export function shortened(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
