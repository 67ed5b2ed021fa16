import type { GraphQLResolveInfo } from 'graphql';

const relations = ['clients', 'projects'];

/** The relations that the field selects, as the `include` of the REST API. */
export function includeOf({ fieldNodes }: Pick<GraphQLResolveInfo, 'fieldNodes'>): string {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const names = new Set(selections.map((selection) => selection.kind === 'Field' && selection.name.value));
  return relations.filter((relation) => names.has(relation)).join();
}
