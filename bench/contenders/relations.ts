import type { GraphQLResolveInfo } from 'graphql';

const relations = ['clients', 'projects'];

/** Which relations of a site the field selects, as the REST API's `include`. */
export function includeOf({ fieldNodes }: Pick<GraphQLResolveInfo, 'fieldNodes'>): string {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const names = new Set(selections.map((selection) => selection.kind === 'Field' && selection.name.value));
  return relations.filter((relation) => names.has(relation)).join();
}
