import {
  type DefinitionNode,
  type DirectiveNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type VariableNode,
  visit,
} from 'graphql';
import type { SentSet } from '../../features/explain/index.ts';

/** Directives that Apollo Client and Relay remove before they send a document: docs/explain.md has the sources. */
const removed = new Set([
  ...['connection', 'nonreactive', 'unmask'],
  ...['alias', 'argumentDefinitions', 'arguments', 'assignable', 'catch', 'dangerously_unaliased_fixme'],
  ...['inline', 'no_inline', 'preloadable', 'raw_response_type', 'refetchable', 'relay', 'required'],
  ...['throwOnFieldError', 'waterfall'],
]);

/** Directives that are removed with what has them: Apollo Client's local fields, what Relay never sends. */
const removedWhole = new Set(['client', 'updatable']);

const isRemovedWhole = ({ directives = [] }: { directives?: readonly DirectiveNode[] }): boolean =>
  directives.some(({ name }) => removedWhole.has(name.value));

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

/** Apollo Client adds it to each selection of an object, and so sends it where nothing else is left. */
const typename: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/**
 * The operations and fragments of a set of documents as clients send them: without what only clients read. A
 * fragment that reads arguments of its own is a fault: Relay writes their values into the document.
 */
export function asSent(set: readonly DefinitionNode[]): SentSet {
  const all = set.filter(
    (node) => node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION,
  );
  const gone = new Set(all.flatMap((node) => (isGoneFragment(node) ? node.name.value : [])));
  const isGone = (one: SelectionNode) =>
    isRemovedWhole(one) || (one.kind === Kind.FRAGMENT_SPREAD && gone.has(one.name.value));
  const isSent = (node: Definition) =>
    node.kind === Kind.FRAGMENT_DEFINITION
      ? !gone.has(node.name.value)
      : !isRemovedWhole(node) && !node.selectionSet.selections.every(isGone);
  const sent = all.filter(isSent).map((node) => prune(node, isGone));
  const fragments = new Map(
    sent.map((one) => [one.node.kind === Kind.FRAGMENT_DEFINITION ? one.node.name.value : '', one]),
  );
  return {
    definitions: sent.map((one) => withoutUnusedVariables(one, fragments)),
    faults: sent.flatMap(({ ownArguments }) =>
      ownArguments.map((node) => ({ node, message: messageFor(node) })),
    ),
  };
}

function messageFor({ name }: VariableNode): string {
  return `$${name.value} is an argument of the fragment, whose value Relay writes into the document: plan its manifest`;
}

/** Whether nothing is left of a fragment. Apollo Client counts `__typename` as nothing. */
function isGoneFragment(node: Definition): node is FragmentDefinitionNode {
  if (node.kind !== Kind.FRAGMENT_DEFINITION) return false;
  const { selections } = node.selectionSet;
  const isTypename = (one: SelectionNode) => one.kind === Kind.FIELD && one.name.value === '__typename';
  const isEmptied =
    selections.some(isRemovedWhole) && selections.every((one) => isRemovedWhole(one) || isTypename(one));
  return isEmptied || isRemovedWhole(node);
}

/** A definition without what only clients read; `isPruned`: whether it had anything that Apollo Client or Relay removes. */
function prune(original: Definition, isGone: (one: SelectionNode) => boolean) {
  let isPruned = false;
  const remove = () => {
    isPruned = true;
    return null;
  };
  const selection = (one: SelectionNode) => (isGone(one) ? remove() : undefined);
  const node = visit(original, {
    VariableDefinition: () => false,
    SelectionSet(set) {
      if (!set.selections.every(isGone)) return undefined;
      isPruned = true;
      return { ...set, selections: [typename] };
    },
    Field: selection,
    InlineFragment: selection,
    FragmentSpread: selection,
    Directive({ name: { value: name } }) {
      if (removed.has(name)) return remove();
      // urql removes all of these, and leaves their variables.
      return name.startsWith('_') ? null : undefined;
    },
  });
  const variables: VariableNode[] = [];
  const spreads: string[] = [];
  visit(node, {
    VariableDefinition: () => false,
    Variable: (variable) => void variables.push(variable),
    FragmentSpread: ({ name }) => void spreads.push(name.value),
  });
  const declaring = original.directives?.find(({ name }) => name.value === 'argumentDefinitions');
  const declared = new Set(declaring?.arguments?.map(({ name }) => name.value));
  const ownArguments = variables.filter(({ name }) => declared.has(name.value));
  return { node, isPruned, variables, spreads, ownArguments };
}

type Pruned = ReturnType<typeof prune>;

/** Removes the variables that an operation does not use, as Apollo Client and Relay do where they remove anything. */
function withoutUnusedVariables(pruned: Pruned, fragments: ReadonlyMap<string, Pruned>): Definition {
  const { node } = pruned;
  if (node.kind !== Kind.OPERATION_DEFINITION) return node;
  const reached = new Set([pruned]);
  // A set iterates over what is added meanwhile.
  for (const { spreads } of reached)
    for (const name of spreads) {
      const fragment = fragments.get(name);
      if (fragment) reached.add(fragment);
    }
  if (![...reached].some(({ isPruned }) => isPruned)) return node;
  const used = new Set([...reached].flatMap(({ variables }) => variables.map(({ name }) => name.value)));
  const { variableDefinitions = [] } = node;
  return {
    ...node,
    variableDefinitions: variableDefinitions.filter(({ variable }) => used.has(variable.name.value)),
  };
}
