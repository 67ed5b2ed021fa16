import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** Returns each field with selections, as the path of its names and an object for the deferred fragment around it. */
function* placesOf(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  path = '',
  part = {},
): Generator<{ path: string; part: object }> {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) {
      if (!node.selectionSet) continue;
      const below = `${path}.${(node.alias ?? node.name).value}`;
      yield { path: below, part };
      yield* placesOf(node.selectionSet, fragments, below, part);
    } else {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
      const isDeferred = node.directives?.some(({ name }) => name.value === 'defer');
      if (fragment) yield* placesOf(fragment.selectionSet, fragments, path, isDeferred ? {} : part);
    }
  }
}

/** Whether a field with selections is in two deferred fragments, or in one and outside of it. */
export function isDeferredTwice({ definitions }: DocumentNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const known = new Map<string, object>();
  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { path, part } of placesOf(node.selectionSet, fragments)) {
      if ((known.get(path) ?? part) !== part) return true;
      known.set(path, part);
    }
  }
  return false;
}
