import fastify, { type FastifyRequest } from 'fastify';
import type { GraphQLResolveInfo } from 'graphql';
import mercurius, { type IResolvers, type MercuriusLoaders } from 'mercurius';
import { Pool } from 'undici';
import { get as getByDispatch } from './rest-client.ts';
import { includeOf, serviceLevels, typeDefinitions } from './schema.ts';
import { settings } from './settings.ts';

interface Context {
  key: string;
}

const pool = new Pool(settings.upstreamUrl, { connections: settings.connections });

const levels = new Map(Object.entries(serviceLevels).map(([level, label]) => [label, level]));

const resolvers = {
  // Mercurius has no internal values of enums.
  Site: { serviceLevel: ({ serviceLevel }: { serviceLevel: string }) => levels.get(serviceLevel) },
  Query: {
    site: (_: unknown, { id }: { id: string }, { key }: Context, info: GraphQLResolveInfo) =>
      getSite(id, includeOf(info), key),
    sites: (_: unknown, { ids }: { ids: string[] }, { key }: Context, info: GraphQLResolveInfo) =>
      Promise.all(ids.map((id) => getSite(id, includeOf(info), key))),
    conversationContext: (_: unknown, { id }: { id: string }, { key }: Context) =>
      get(`/v1/conversation/${encodeURIComponent(id)}/context`, key),
  },
};

const loaders = {
  ConversationSite: {
    site: {
      loader: (queries: { obj: { id: string }; info: GraphQLResolveInfo }[], { key }: Context) =>
        Promise.all(queries.map(({ obj, info }) => getSite(obj.id, includeOf(info), key))),
      // With the cache, the loader does not get `info`.
      opts: { cache: false },
    },
  },
};

const app = fastify();
app.register(mercurius, {
  schema: typeDefinitions,
  // The types of the package know neither the values of enums nor a context of one's own.
  resolvers: resolvers as unknown as IResolvers,
  loaders: loaders as unknown as MercuriusLoaders,
  context: (request: FastifyRequest): Context => ({ key: String(request.headers['x-api-key'] ?? '') }),
  jit: 1,
});
await app.listen({ port: settings.port, host: settings.host });

function getSite(id: string, include: string, key: string): Promise<unknown> {
  return get(`/v1/site/${encodeURIComponent(id)}${include && `?include=${include}`}`, key);
}

function get(path: string, key: string): Promise<unknown> {
  return process.env.DISPATCH ? getByDispatch(path, key) : getByRequest(path, key);
}

async function getByRequest(path: string, key: string): Promise<unknown> {
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { 'x-api-key': key } });
  if (statusCode === 200) return body.json();
  await body.dump();
  throw new Error(`the REST API responded with ${statusCode}`);
}
