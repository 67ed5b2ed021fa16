import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { deferDirective } from './directives.ts';

/** What a selection depends on: the fragments of its document and the values of its variables. */
export type SelectionInfo = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>;

/** A walk over selections of one object type. */
export interface Walk {
  type: GraphQLNamedType;
  info: SelectionInfo;
  /** Whether nothing was met so far that the values of the variables may decide. */
  isConstant: boolean;
  /** Fragments walked already: twice adds nothing, and nested doubling would take for ever. */
  seen: Set<FragmentDefinitionNode | InlineFragmentNode>;
  found(field: FieldNode): void;
  /** Called for each fragment that an active `@defer` makes a part of its own. Absent: these are left out. */
  deferred?(): void;
}

/**
 * Finds the fields of a type that are executed: through named and inline fragments, less what `@skip` and `@include`
 * leave out. A field in a fragment is found once, however often the fragment is spread.
 */
export function collect(selections: SelectionSetNode | undefined, walk: Walk): void {
  for (const node of selections?.selections ?? []) {
    if (isExecuted(node, walk)) collectNode(node, walk);
  }
}

/** The fields of a type that the selections of these nodes have executed, by their names in the response; and how many fragments are deferred. */
export function selectedFields(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode | undefined }[],
  info: SelectionInfo,
): { fields: Map<string, FieldNode[]>; deferred: number; isConstant: boolean } {
  const fields = new Map<string, FieldNode[]>();
  const found = (node: FieldNode) => {
    const name = (node.alias ?? node.name).value;
    const known = fields.get(name);
    if (known) known.push(node);
    else fields.set(name, [node]);
  };
  let deferred = 0;
  const walk: Walk = {
    type,
    info,
    isConstant: true,
    seen: new Set(),
    found,
    deferred: () => {
      deferred += 1;
    },
  };
  for (const { selectionSet } of nodes) collect(selectionSet, walk);
  return { fields, deferred, isConstant: walk.isConstant };
}

function collectNode(node: SelectionNode, walk: Walk): void {
  if (node.kind === Kind.FIELD) {
    walk.found(node);
    return;
  }
  if (isDeferred(node, walk)) {
    if (!walk.deferred) return;
    walk.deferred();
  }
  const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : walk.info.fragments[node.name.value];
  if (!fragment || !applies(fragment.typeCondition?.name.value, walk)) return;
  if (walk.seen.has(fragment)) return;
  walk.seen.add(fragment);
  collect(fragment.selectionSet, walk);
}

/** All types of the schema are concrete, and validation lets only the type itself be a condition. */
function applies(condition: string | undefined, { type }: Walk): boolean {
  return condition === undefined || condition === type.name;
}

function isExecuted(node: SelectionNode, walk: Walk): boolean {
  return (
    conditionOf(GraphQLSkipDirective, node, walk) !== true &&
    conditionOf(GraphQLIncludeDirective, node, walk) !== false
  );
}

function isDeferred(node: SelectionNode, walk: Walk): boolean {
  return conditionOf(deferDirective, node, walk) === true;
}

/** What `if` of the directive is on this node; undefined where the directive is absent. */
function conditionOf(
  directive: GraphQLDirective,
  node: { readonly directives?: readonly DirectiveNode[] },
  walk: Walk,
): unknown {
  if (!node.directives?.length) return undefined;
  walk.isConstant = false;
  return getDirectiveValues(directive, node, walk.info.variableValues)?.if;
}
