import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import type { Input } from '../../input.ts';
import { includesOf } from '../../schema/look-ahead.ts';
import type { Resource } from '../../schema/resources.ts';
import type { Relation } from '../../upstream/resources.ts';
import { fieldsOf, type OperationInfo, type ResponseField, resourcesOf } from '../document/operation-info.ts';
import { type Cause, causeOf, shortened } from './causes.ts';

/** A resource that an operation needs, or one for each element of a list, and what it is read for. */
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

/** What a field reads of a resource, and the relations among it that are not deferred. */
interface Demand {
  cause: Cause;
  now: readonly Relation[];
}

/** Where a field is. */
interface Place {
  path: readonly string[];
  /** The same for all fields whose data are equal: what is loaded at the root, and the fields below, without aliases. */
  origin: string;
}

/** What an operation needs, by its document and variables alone: each resource once, however often it is selected. */
export function needsOf(info: OperationInfo, input: Input): Need[] {
  const needs = new Map<string, Need>();

  function visit(type: GraphQLObjectType, nodes: Parameters<typeof fieldsOf>[1], { path, origin }: Place) {
    for (const field of fieldsOf(type, nodes, info)) {
      const { name } = field.definition;
      visitField(field, { path: [...path, field.name], origin: `${origin}.${name}` });
    }
  }

  function visitField(field: ResponseField, place: Place): void {
    const { extensions, type } = field.definition;
    const named = resourcesOf(field, info, input).map((resource) => ({ id: null, ...resource }));
    const { resourceInData } = extensions;
    if (resourceInData || named.length > 0) {
      const demand = demandOf(field, place);
      if (resourceInData)
        need(place.origin, { kind: resourceInData, id: null, forEach: listAbove(place) }, demand);
      for (const { kind, id } of named) need(nameOf({ kind, id }), { kind, id }, demand);
    }
    // Where no argument is valid, there is nothing to select from.
    if (extensions.resources && named.length === 0) return;
    const object = getNamedType(type);
    const origin = extensions.resources ? named.map(nameOf).sort().join() : place.origin;
    if (isObjectType(object)) visit(object, field.nodes, { path: place.path, origin });
  }

  function demandOf({ definition: { type }, nodes }: ResponseField, { path }: Place): Demand {
    const cause = causeOf(path.join('.'), type, nodes, info);
    return { cause, now: includesOf({ ...info, fieldNodes: nodes, returnType: type }) };
  }

  function need(name: string, what: Pick<Need, 'kind' | 'id' | 'forEach'>, { cause, now }: Demand): void {
    const known = needs.get(name) ?? { ...what, causes: new Set(), now: new Set(), later: new Set() };
    needs.set(name, known);
    known.causes.add(cause);
    for (const relation of now) known.now.add(relation);
    for (const { relation } of cause.relations) known.later.add(relation);
  }

  visit(info.query, [info.operation], { path: [], origin: '' });
  return [...needs.values()].map(withoutIncluded);
}

function nameOf({ kind, id }: Pick<Need, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** A field that loads by an id from the data is a field of an element of a list. */
function listAbove({ path }: Place): string {
  return shortened(path.slice(0, -1).join('.'));
}

function withoutIncluded(need: Need): Need {
  return { ...need, later: new Set([...need.later].filter((relation) => !need.now.has(relation))) };
}
