import { GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { type SchemaText, sdlOf } from '../../schema/index.ts';

/** The longest interval, in seconds. */
export const MAX_EVERY = 3600;

/** The schema with the root field of live queries, which reads whatever a query can. */
export function withLiveQueries(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType();
  if (!query) return schema;
  const subscription = new GraphQLObjectType({
    name: 'Subscription',
    description: 'Results that are sent again when they change.',
    fields: {
      live: {
        type: new GraphQLNonNull(query),
        description:
          'The present state at once, and the whole of it again when it changes. The gateway polls the REST API for it. `health` cannot be read here.',
        args: {
          every: {
            type: GraphQLInt,
            description:
              'Seconds between two polls, at most 3600. The gateway has a minimum, which is also the default, and polls less often if the rate limit of the key requires it.',
          },
        },
        resolve: () => ({}),
      },
    },
  });
  return new GraphQLSchema({ ...schema.toConfig(), subscription });
}

export const liveText: SchemaText = {
  option: 'live',
  help: 'with Subscription, as a gateway with LIVE=on serves it',
  setting: { LIVE: 'on' },
  print: (schema) => sdlOf(withLiveQueries(schema)),
};
