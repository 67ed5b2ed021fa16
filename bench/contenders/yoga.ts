import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { Agent, setGlobalDispatcher } from 'undici';
import { createResolvers, typeDefs } from './schema.ts';
import { settings } from './settings.ts';

setGlobalDispatcher(new Agent({ connections: settings.connections }));

interface Context {
  request: Request;
}

async function get(path: string, { request }: Context): Promise<unknown> {
  const key = request.headers.get('x-api-key') ?? '';
  const response = await fetch(`${settings.upstreamUrl}${path}`, { headers: { 'x-api-key': key } });
  if (!response.ok) throw new Error(`the REST API responded with ${response.status}`);
  return response.json();
}

const schema = createSchema<Context>({ typeDefs, resolvers: createResolvers(get) });
createServer(createYoga({ schema, graphiql: false, logging: false })).listen(settings.port, settings.host);
