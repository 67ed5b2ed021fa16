import { createServer } from 'node:http';
import type { DocumentNode, ExecutionArgs } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { createYoga, type Plugin } from 'graphql-yoga';
import { Agent, setGlobalDispatcher } from 'undici';
import { settings } from '../settings.ts';
import { createApi } from './api.ts';
import { schema } from './schema.ts';

setGlobalDispatcher(new Agent({ connections: settings.connections }));

/** The compiled queries of graphql-jit; null for one that it cannot compile. */
const compiled = new WeakMap<DocumentNode, CompiledQuery | null>();

const jit: Plugin = {
  onExecute({ args, setExecuteFn }) {
    const query = compiled.get(args.document) ?? compile(args);
    if (query)
      setExecuteFn(({ rootValue, contextValue, variableValues }) =>
        query.query(rootValue, contextValue, variableValues),
      );
  },
};

function compile({ schema, document, operationName }: ExecutionArgs): CompiledQuery | null {
  const result = compileQuery(schema, document, operationName ?? '');
  const query = isCompiledQuery(result) ? result : null;
  compiled.set(document, query);
  return query;
}

const yoga = createYoga({
  schema,
  context: ({ request }) => createApi(settings.upstreamUrl, request.headers.get('x-api-key') ?? ''),
  graphiql: false,
  logging: false,
  plugins: process.env.JIT ? [jit] : [],
});

createServer(yoga).listen(settings.port, settings.host);
