import { type AugmentedRequest, type DataSourceConfig, RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { Agent, setGlobalDispatcher } from 'undici';
import { createResolvers, typeDefs } from './schema.ts';
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

  read(path: string): Promise<unknown> {
    return this.get(path);
  }
}

interface Context {
  partner: PartnerApi;
}

// The package declares its own, narrower types of a request.
const nodeFetch = (url: string, init?: object) => fetch(url, init);

const resolvers = createResolvers<Context>((path, { partner }) => partner.read(path));
const server = new ApolloServer<Context>({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { port: settings.port, host: settings.host },
  context: async ({ req }) => ({
    // Node's fetch keeps connections open, the default one does not.
    partner: new PartnerApi(String(req.headers['x-api-key'] ?? ''), {
      cache: server.cache,
      fetch: nodeFetch,
    }),
  }),
});
