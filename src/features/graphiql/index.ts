/** GraphiQL, the page at `/graphql`. */
export { graphiqlConfig, graphiqlSettings } from './settings.ts';
