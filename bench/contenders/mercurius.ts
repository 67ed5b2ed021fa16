import fastify, { type FastifyRequest } from 'fastify';
import mercurius, { type IResolvers } from 'mercurius';
import { Pool } from 'undici';
import { createResolvers, typeDefs } from './schema.ts';
import { settings } from './settings.ts';

interface Context {
  key: string;
}

const pool = new Pool(settings.upstreamUrl, { connections: settings.connections });

async function get(path: string, { key }: Context): Promise<unknown> {
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { 'x-api-key': key } });
  if (statusCode === 200) return body.json();
  await body.dump();
  throw new Error(`the REST API responded with ${statusCode}`);
}

const app = fastify();
app.register(mercurius, {
  schema: typeDefs,
  // The types of the package have no context of one's own.
  resolvers: createResolvers(get) as unknown as IResolvers,
  context: (request: FastifyRequest): Context => ({ key: String(request.headers['x-api-key'] ?? '') }),
  jit: 1,
});
await app.listen({ port: settings.port, host: settings.host });
