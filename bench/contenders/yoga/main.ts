import { createServer } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { Agent, setGlobalDispatcher } from 'undici';
import { settings } from '../settings.ts';
import { createApi } from './api.ts';
import { schema } from './schema.ts';

setGlobalDispatcher(new Agent({ connections: settings.connections }));

const yoga = createYoga({
  schema,
  context: ({ request }) => createApi(settings.upstreamUrl, request.headers.get('x-api-key') ?? ''),
  graphiql: false,
  logging: false,
});

createServer(yoga).listen(settings.port, settings.host);
