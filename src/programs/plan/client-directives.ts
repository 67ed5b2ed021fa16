import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type SelectionNode,
  visit,
} from 'graphql';

/** Directives that Apollo Client and Relay remove before they send a document. */
const removed = new Set([
  ...['connection', 'nonreactive', 'unmask'],
  ...['alias', 'assignable', 'catch', 'dangerously_unaliased_fixme', 'inline', 'no_inline', 'preloadable'],
  ...['raw_response_type', 'refetchable', 'relay', 'required', 'throwOnFieldError', 'waterfall'],
]);

/** Directives that are removed with the field, fragment or operation that has them. */
const removedWhole = new Set(['client', 'updatable']);

const typename: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/**
 * The definitions of a set of documents as clients send them: without what only clients read, and without the
 * variables that only that used.
 */
export function asSent(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const set: DocumentNode = { kind: Kind.DOCUMENT, definitions };
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const gone = new Set(fragments.filter(hasWhole).map(({ name }) => name.value));
  const sent: DocumentNode = visit(set, {
    enter(node) {
      const isGone = node.kind === Kind.FRAGMENT_SPREAD && gone.has(node.name.value);
      const isForClient = node.kind === Kind.DIRECTIVE && isRemoved(node.name.value);
      return isGone || isForClient || hasWhole(node) ? null : undefined;
    },
    // Clients select the name of the type, and so send it if nothing else is left.
    SelectionSet: {
      leave: (node) => (node.selections.length === 0 ? { ...node, selections: [typename] } : undefined),
    },
  });
  const [before, after] = [variablesIn(set), variablesIn(sent)];
  return visit(sent, {
    VariableDefinition: ({ variable: { name } }) =>
      before.has(name.value) && !after.has(name.value) ? null : false,
  }).definitions;
}

/** The names of the variables that something uses. */
function variablesIn(document: DocumentNode): Set<string> {
  const names = new Set<string>();
  visit(document, { VariableDefinition: () => false, Variable: ({ name }) => void names.add(name.value) });
  return names;
}

/** urql and gql.tada remove all that begin with an underscore. */
const isRemoved = (directive: string): boolean => removed.has(directive) || directive.startsWith('_');

function hasWhole(node: object): boolean {
  const { directives = [] } = node as { directives?: readonly DirectiveNode[] };
  return directives.some(({ name }) => removedWhole.has(name.value));
}
