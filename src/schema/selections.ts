import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  type GraphQLType,
  getDirectiveValues,
  getNamedType,
  type InlineFragmentNode,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Relation } from '../rest/resources.ts';
import { deferDirective } from './directives.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The relation that the REST API must expand for this field. */
    include?: Relation;
  }
}

export type SelectionInfo = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** The types of the objects that a field of this type may return; none for a scalar or an enum. */
export function objectTypesOf(type: GraphQLType | undefined): readonly GraphQLObjectType[] {
  const named = getNamedType(type);
  if (isUnionType(named)) return named.getTypes();
  return isObjectType(named) ? [named] : [];
}

/**
 * The look-ahead: the relations that the selections of a site field can read, over all of its nodes, less what an
 * active `@defer` defers. A field declares the relation that it needs in its extension `include`. This is the
 * optimisation; the guarantee is the field's own resolver, which loads a relation that its site lacks.
 */
export const includesOf = cacheBySelection(
  (info: SelectionInfo & Pick<GraphQLResolveInfo, 'fieldNodes' | 'returnType'>) => {
    const relations = new Set<Relation>();
    let isConstant = true;
    for (const type of objectTypesOf(info.returnType)) {
      const fieldsOfType = type.getFields();
      const selected = selectedFields(type, info.fieldNodes, info, false);
      for (const [node] of selected.fields.values()) {
        const relation = node && fieldsOfType[node.name.value]?.extensions.include;
        if (relation) relations.add(relation);
      }
      isConstant &&= selected.isConstant;
    }
    return { value: [...relations] as readonly Relation[], isConstant };
  },
);

/**
 * The fields of a type that these nodes select and execution reaches, by their names in the response: through
 * fragments, each once, less what `@skip` and `@include` leave out. `deferred`: how many fragments an active `@defer`
 * makes parts of their own; they are left out unless `withDeferred`. `isConstant`: no directive is on the selections.
 */
export function selectedFields(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode | undefined }[],
  info: SelectionInfo,
  withDeferred = true,
): { fields: Map<string, FieldNode[]>; deferred: number; isConstant: boolean } {
  const selected = { fields: new Map<string, FieldNode[]>(), deferred: 0, isConstant: true };
  // Without this set, fragments that spread each other twice cost exponential time.
  const visited = new Set<FragmentDefinitionNode | InlineFragmentNode>();

  function visit(node: SelectionNode): void {
    if (conditionOf(GraphQLSkipDirective, node) === true) return;
    if (conditionOf(GraphQLIncludeDirective, node) === false) return;
    if (node.kind === Kind.FIELD) add(node);
    else if (conditionOf(deferDirective, node) !== true) visitFragment(node);
    else if (withDeferred) {
      selected.deferred += 1;
      visitFragment(node);
    }
  }
  function add(node: FieldNode): void {
    const name = (node.alias ?? node.name).value;
    const known = selected.fields.get(name);
    if (known) known.push(node);
    else selected.fields.set(name, [node]);
  }
  function visitFragment(node: Exclude<SelectionNode, FieldNode>): void {
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
    if (!fragment || visited.has(fragment)) return;
    const condition = fragment.typeCondition?.name.value ?? type.name;
    if (condition !== type.name && !objectTypesOf(info.schema.getType(condition)).includes(type)) return;
    visited.add(fragment);
    for (const selection of fragment.selectionSet.selections) visit(selection);
  }
  /** The `if` of the directive on this node; undefined if the directive is absent. */
  function conditionOf(directive: GraphQLDirective, node: SelectionNode): unknown {
    if (!node.directives?.length) return undefined;
    selected.isConstant = false;
    return getDirectiveValues(directive, node, info.variableValues)?.if;
  }

  for (const { selectionSet } of nodes) {
    for (const selection of selectionSet?.selections ?? []) visit(selection);
  }
  return selected;
}

/** Derives a value from the selections of a field once for the document, or for each execution if it varies. */
export function cacheBySelection<
  I extends Pick<GraphQLResolveInfo, 'fieldNodes' | 'variableValues'>,
  T extends object | number,
>(derive: (info: I) => { value: T; isConstant: boolean }): (info: I) => T {
  const valuesOf = new WeakMap<object, WeakMap<object, T>>();
  return (info) => {
    const { fieldNodes, variableValues } = info;
    const [node, another] = fieldNodes;
    const nodes = node && !another ? node : fieldNodes;
    const values = valuesOf.get(nodes) ?? new WeakMap<object, T>();
    const known = values.get(anyVariables) ?? values.get(variableValues);
    if (known !== undefined) return known;
    const { value, isConstant } = derive(info);
    valuesOf.set(nodes, values.set(isConstant ? anyVariables : variableValues, value));
    return value;
  };
}

const anyVariables = {};
