import {
  type FieldNode,
  type GraphQLFieldMap,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Relation } from '../upstream/resources.ts';
import { cacheBySelection } from './selection-cache.ts';
import { collect, type SelectionInfo, type Walk } from './selections.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The relation that the REST API must expand for this field. */
    include?: Relation;
    /** What the resolver reads besides the property and the relation of its field, as `Client.isPrimary`. */
    reads?: readonly string[];
  }
}

/** The part of `info` that the look-ahead reads. */
type SiteReading = SelectionInfo & Pick<GraphQLResolveInfo, 'fieldNodes' | 'returnType'>;

/**
 * The relations that the selections of a site field can read: the union over all nodes of the field, through named
 * and inline fragments, less what `@skip` and `@include` leave out and what an active `@defer` defers.
 * A field declares the relation that it needs in its extension `include`.
 *
 * This is the optimisation; the guarantee is the field's own resolver, which loads a relation that its site lacks.
 */
export const includesOf = cacheBySelection((info: SiteReading) => {
  const type = getNamedType(info.returnType);
  const fields: GraphQLFieldMap<unknown, unknown> = isObjectType(type) ? type.getFields() : {};
  const relations = new Set<Relation>();
  const found = (field: FieldNode) => {
    const relation = fields[field.name.value]?.extensions.include;
    if (relation) relations.add(relation);
  };
  const walk: Walk = { type, info, isConstant: true, seen: new Set(), found };
  for (const node of info.fieldNodes) collect(node.selectionSet, walk);
  return { value: [...relations] as readonly Relation[], isConstant: walk.isConstant };
});
