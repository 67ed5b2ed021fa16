/**
 * Makes the client preset of GraphQL Code Generator write the REST calls of each operation: as the comment of its
 * document, and of the `graphql()` that takes its text.
 */
export declare function withCosts<Preset extends { buildGeneratesSection(options: never): unknown }>(
  preset: Preset,
): Preset;
