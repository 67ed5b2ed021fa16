import type { RouteOptions } from '../../composition.ts';
import type { Route } from '../../http/handler.ts';
import { createGraphiql } from './graphiql.ts';

export { graphiqlConfig, graphiqlSettings } from './settings.ts';

type GraphiqlConfig = { graphiql: boolean; live?: object | null };

/** The page for developers who explore: GraphiQL at `/graphql`, if `GRAPHIQL` is on. */
export function graphiqlRoutes({ graphiql, live }: GraphiqlConfig, { example }: RouteOptions): Route[] {
  return graphiql ? [createGraphiql({ example, hasLive: live != null })] : [];
}
