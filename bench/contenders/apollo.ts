import { type AugmentedRequest, type DataSourceConfig, RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import type { GraphQLResolveInfo } from 'graphql';
import { Agent, setGlobalDispatcher } from 'undici';
import { includeOf, serviceLevels, typeDefinitions } from './schema.ts';
import { settings } from './settings.ts';

setGlobalDispatcher(new Agent({ connections: settings.connections }));

class PartnerApi extends RESTDataSource {
  override baseURL = settings.upstreamUrl;
  readonly #key: string;

  constructor(key: string, config: DataSourceConfig) {
    super(config);
    this.#key = key;
  }

  override willSendRequest(_path: string, request: AugmentedRequest): void {
    request.headers['x-api-key'] = this.#key;
  }

  getSite(id: string, include: string): Promise<unknown> {
    return this.get(`/v1/site/${encodeURIComponent(id)}`, include ? { params: { include } } : {});
  }

  getConversation(id: string): Promise<unknown> {
    return this.get(`/v1/conversation/${encodeURIComponent(id)}/context`);
  }
}

interface Context {
  dataSources: { partner: PartnerApi };
}

const resolvers = {
  ServiceLevel: serviceLevels,
  Query: {
    site: (_: unknown, { id }: { id: string }, { dataSources }: Context, info: GraphQLResolveInfo) =>
      dataSources.partner.getSite(id, includeOf(info)),
    sites: (_: unknown, { ids }: { ids: string[] }, { dataSources }: Context, info: GraphQLResolveInfo) =>
      ids.map((id) => dataSources.partner.getSite(id, includeOf(info))),
    conversationContext: (_: unknown, { id }: { id: string }, { dataSources }: Context) =>
      dataSources.partner.getConversation(id),
  },
  ConversationSite: {
    site: ({ id }: { id: string }, _: unknown, { dataSources }: Context, info: GraphQLResolveInfo) =>
      dataSources.partner.getSite(id, includeOf(info)),
  },
};

const server = new ApolloServer<Context>({ typeDefs: typeDefinitions, resolvers });
await startStandaloneServer(server, {
  listen: { port: settings.port, host: settings.host },
  context: async ({ req }) => ({
    dataSources: {
      // Node's fetch keeps connections open, the default one does not.
      partner: new PartnerApi(String(req.headers['x-api-key'] ?? ''), {
        cache: server.cache,
        fetch: nodeFetch,
      }),
    },
  }),
});

// The package declares its own, narrower types of a request.
function nodeFetch(url: string, init?: object): Promise<Response> {
  return fetch(url, init);
}
