import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { deferDirective } from './directives.ts';

/** What tells a selection's meaning: the fragments of its document and the values of its variables. */
export type Reading = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>;

/** A walk over selections of one object type. */
export interface Look {
  type: GraphQLObjectType;
  info: Reading;
  /** Whether what an active `@defer` puts off is left out. */
  isNow: boolean;
  /** Whether nothing was met so far that the values of the variables may decide. */
  isConstant: boolean;
  /** Fragments walked already: twice adds nothing, and nested doubling would take for ever. */
  seen: Set<FragmentDefinitionNode>;
  found(field: FieldNode): void;
}

/**
 * Finds the fields of a type that are executed: through named and inline fragments, less what `@skip` and `@include`
 * switch off. A field in a fragment is found once, however often that is spread.
 */
export function collect(selections: SelectionSetNode | undefined, look: Look): void {
  for (const node of selections?.selections ?? []) {
    if (isExecuted(node, look)) collectNode(node, look);
  }
}

function collectNode(node: SelectionNode, look: Look): void {
  if (node.kind === Kind.FIELD) {
    look.found(node);
    return;
  }
  if (look.isNow && isDeferred(node, look)) return;
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
  look: Look,
): unknown {
  if (!node.directives?.length) return undefined;
  look.isConstant = false;
  return getDirectiveValues(directive, node, look.info.variableValues)?.if;
}
