import {
  type DirectiveNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Relation } from '../upstream/resources.ts';
import { deferDirective } from './directives.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The relation that the REST API must expand for this field. */
    include?: Relation;
  }
}

/**
 * The relations that the selections of a site field can read: the union over all nodes of the field, through named
 * and inline fragments, less what `@skip` and `@include` switch off and what an active `@defer` puts off until later.
 * A field says itself which relation it needs, in its extension `include`.
 *
 * This is the optimisation; the guarantee is the field's own resolver, which loads a relation that its site lacks.
 */
export function includesOf(info: GraphQLResolveInfo): Relation[] {
  const type = getNamedType(info.returnType);
  if (!isObjectType(type)) return [];
  const look: Look = { type, info, found: new Set(), seen: new Set() };
  for (const node of info.fieldNodes) collect(node.selectionSet, look);
  return [...look.found];
}

interface Look {
  type: GraphQLObjectType;
  info: GraphQLResolveInfo;
  found: Set<Relation>;
  /** Fragments walked already: twice adds nothing, and nested doubling would take for ever. */
  seen: Set<FragmentDefinitionNode>;
}

function collect(selections: SelectionSetNode | undefined, look: Look): void {
  for (const node of selections?.selections ?? []) {
    if (isExecuted(node, look)) collectNode(node, look);
  }
}

function collectNode(node: SelectionNode, look: Look): void {
  if (node.kind === Kind.FIELD) {
    const relation = look.type.getFields()[node.name.value]?.extensions.include;
    if (relation) look.found.add(relation);
    return;
  }
  if (isDeferred(node, look)) return;
  const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : look.info.fragments[node.name.value];
  if (!fragment || !applies(fragment.typeCondition?.name.value, look)) return;
  if (fragment.kind === Kind.FRAGMENT_DEFINITION) {
    if (look.seen.has(fragment)) return;
    look.seen.add(fragment);
  }
  collect(fragment.selectionSet, look);
}

/** All types of the schema are concrete, and validation lets only the type itself be a condition. */
function applies(condition: string | undefined, { type }: Look): boolean {
  return condition === undefined || condition === type.name;
}

function isExecuted(node: SelectionNode, look: Look): boolean {
  return (
    conditionOf(GraphQLSkipDirective, node, look) !== true &&
    conditionOf(GraphQLIncludeDirective, node, look) !== false
  );
}

function isDeferred(node: SelectionNode, look: Look): boolean {
  return conditionOf(deferDirective, node, look) === true;
}

/** What `if` of the directive is on this node; undefined where the directive is absent. */
function conditionOf(
  directive: GraphQLDirective,
  node: { readonly directives?: readonly DirectiveNode[] },
  { info }: Look,
): unknown {
  if (!node.directives?.length) return undefined;
  return getDirectiveValues(directive, node, info.variableValues)?.if;
}
