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
  /** Called for each fragment that an active `@defer` makes a part of its own, where it is not left out. */
  deferred?(): void;
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

/** The fields of a type that the selections of these nodes have executed, by their names in the response; and how many fragments are deferred. */
export function selectedFields(
  type: GraphQLObjectType,
  nodes: readonly { selectionSet?: SelectionSetNode | undefined }[],
  info: Reading,
): { fields: Map<string, FieldNode[]>; deferred: number; isConstant: boolean } {
  const fields = new Map<string, FieldNode[]>();
  const found = (node: FieldNode) => {
    const name = (node.alias ?? node.name).value;
    const known = fields.get(name);
    if (known) known.push(node);
    else fields.set(name, [node]);
  };
  let deferred = 0;
  const look: Look = {
    type,
    info,
    isNow: false,
    isConstant: true,
    seen: new Set(),
    found,
    deferred: () => {
      deferred += 1;
    },
  };
  for (const { selectionSet } of nodes) collect(selectionSet, look);
  return { fields, deferred, isConstant: look.isConstant };
}

function collectNode(node: SelectionNode, look: Look): void {
  if (node.kind === Kind.FIELD) {
    look.found(node);
    return;
  }
  if (isDeferred(node, look)) {
    if (look.isNow) return;
    look.deferred?.();
  }
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
