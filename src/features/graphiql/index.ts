import type { Composition } from '../../composition.ts';
import { createGraphiql } from './graphiql.ts';

/** The page for developers who explore: GraphiQL at `/graphql`, where `GRAPHIQL` is on. */
export const graphiql: Pick<Composition, 'routes'> = {
  routes: ({ config, example }) =>
    config.graphiql ? [createGraphiql({ example, hasLive: config.live !== null })] : [],
};
