import {
  type DefinitionNode,
  type DirectiveNode,
  Kind,
  type SelectionNode,
  type VariableNode,
  visit,
} from 'graphql';

/** Directives that Apollo Client and Relay remove before they send a document. */
const removed = new Set([
  ...['connection', 'nonreactive', 'unmask'],
  ...['alias', 'assignable', 'catch', 'dangerously_unaliased_fixme', 'inline', 'no_inline', 'preloadable'],
  ...['raw_response_type', 'refetchable', 'relay', 'required', 'throwOnFieldError', 'waterfall'],
]);

/** Directives that are removed with what has them. */
const removedWhole = new Set(['client', 'updatable']);

const typename: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/**
 * The operations and fragments of a set of documents as clients send them: without what only clients read, and
 * without the variables that nothing else uses.
 */
export function asSent(set: readonly DefinitionNode[]): DefinitionNode[] {
  /** The variables of what is removed, and those that are left. */
  const [former, left] = [new Set<string>(), new Set<string>()];
  const namesIn = (names: Set<string>) => ({
    VariableDefinition: () => false,
    Variable: ({ name }: VariableNode) => void names.add(name.value),
  });
  const gone = new Set(
    set.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION && hasWhole(node) ? node.name.value : [])),
  );
  const sent = set.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      return [];
    const node = visit(definition, {
      enter(one) {
        const isGone = one.kind === Kind.FRAGMENT_SPREAD && gone.has(one.name.value);
        const isForClient = one.kind === Kind.DIRECTIVE && isRemoved(one.name.value);
        if (!isGone && !isForClient && !hasWhole(one)) return undefined;
        visit(one, namesIn(former));
        return null;
      },
      // Clients select the name of the type, and so send it where nothing else is left.
      SelectionSet: {
        leave: (one) => (one.selections.length === 0 ? { ...one, selections: [typename] } : undefined),
      },
    }) as typeof definition | null;
    if (node) visit(node, namesIn(left));
    return node ?? [];
  });
  return sent.map((node) =>
    node.kind === Kind.FRAGMENT_DEFINITION
      ? node
      : {
          ...node,
          variableDefinitions: (node.variableDefinitions ?? []).filter(
            ({ variable: { name } }) => left.has(name.value) || !former.has(name.value),
          ),
        },
  );
}

/** urql and gql.tada remove all that begin with an underscore. */
const isRemoved = (directive: string): boolean => removed.has(directive) || directive.startsWith('_');

function hasWhole(node: object): boolean {
  const { directives = [] } = node as { directives?: readonly DirectiveNode[] };
  return directives.some(({ name }) => removedWhole.has(name.value));
}
