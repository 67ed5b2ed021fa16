import {
  type FieldNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  type GraphQLType,
  getDirectiveValues,
  getNamedType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Relation } from '../rest/resources.ts';
import { deferDirective } from './directives.ts';
import { cacheBySelection } from './selection-cache.ts';

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
 * The look-ahead: the relations that the selections of this field can read, if it returns sites or a union with them. What
 * an active `@defer` defers does not count. A field declares the relation that it needs in its extension `include`. This is
 * the optimisation; the guarantee is the field's own resolver, which loads a relation that its site lacks.
 */
export const includesOf = cacheBySelection(
  (info: SelectionInfo & Pick<GraphQLResolveInfo, 'fieldNodes' | 'returnType'>) => {
    const relations = new Set<Relation>();
    let isConstant = true;
    for (const type of objectTypesOf(info.returnType)) {
      const fieldsOfType = type.getFields();
      const selected = selectedFields(type, info.fieldNodes, info, 'withoutDeferred');
      // Nodes with one name in the response are the same field, which validation ensures: the first is enough.
      for (const [node] of selected.fields.values()) {
        const relation = node && fieldsOfType[node.name.value]?.extensions.include;
        if (relation) relations.add(relation);
      }
      isConstant &&= selected.isConstant;
    }
    return { value: [...relations] as readonly Relation[], isConstant };
  },
);

interface SelectedFields {
  /** By their names in the response: through fragments, each once, less what `@skip` and `@include` leave out. */
  fields: Map<string, FieldNode[]>;
  /** How many fragments an active `@defer` makes parts of their own: counted by a plan. */
  deferred: number;
  /** True if no directive is on the selections, so that they are the same for all variables. */
  isConstant: boolean;
}

/** The fields of a type that these nodes select and execution reaches, by default those of deferred fragments too. */
export function selectedFields(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode | undefined }[],
  info: SelectionInfo,
  deferral: 'withDeferred' | 'withoutDeferred' = 'withDeferred',
): SelectedFields {
  const selected: SelectedFields = { fields: new Map(), deferred: 0, isConstant: true };
  // Without this set, fragments that spread each other twice cost exponential time.
  const visited = new Set<object>();

  function visit(node: SelectionNode): void {
    if (conditionOf(GraphQLSkipDirective, node) === true) return;
    if (conditionOf(GraphQLIncludeDirective, node) === false) return;
    if (node.kind === Kind.FIELD) add(node);
    else if (conditionOf(deferDirective, node) !== true) visitFragment(node);
    else if (deferral === 'withDeferred') {
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

  for (const { selectionSet } of nodes)
    for (const selection of selectionSet?.selections ?? []) visit(selection);
  return selected;
}
