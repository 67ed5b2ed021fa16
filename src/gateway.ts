import type { Config } from './config.ts';
import { createErrorMask } from './errors.ts';
import { createDoor } from './http/door.ts';
import { type Example, exampleTabs } from './http/examples.ts';
import { createGraphiql } from './http/graphiql.ts';
import { type Listening, startServer } from './http/server.ts';
import { createInput } from './input.ts';
import { createLoaders } from './loaders.ts';
import { createPipeline } from './operation/pipeline.ts';
import { schema } from './schema/index.ts';
import { createDriftCounter } from './telemetry/drift.ts';
import { createCaller } from './upstream/caller.ts';
import { createUpstreamClient } from './upstream/client.ts';

export type { Example };

export interface GatewayOptions {
  config: Config;
  upstreamUrl: URL;
  example: Example;
  /** Where the gateway says what its operator should know; no line holds a key. */
  log: (line: string) => void;
}

export interface Gateway {
  /** How often the REST API's answers differed from its contract so far, by field. */
  drift(): ReadonlyMap<string, number>;
  /** Opens the port of the configuration. Rejects when it cannot be had. */
  start(): Promise<Listening>;
}

/** Puts the rooms together; nothing is opened before `start`. */
export function createGateway({ config, upstreamUrl, example, log }: GatewayOptions): Gateway {
  const onFault = (fault: unknown) => log(`fault: ${fault instanceof Error ? fault.stack : String(fault)}`);
  const drift = createDriftCounter(log);
  const client = createUpstreamClient({
    ...config.upstream,
    url: upstreamUrl,
    drift: drift.count,
    onFault: ({ message }) => log(message),
  });
  const pipeline = createPipeline({
    schema,
    input: createInput(config),
    introspection: config.introspection,
    maxBodyBytes: config.maxBodyBytes,
    mask: createErrorMask(onFault),
  });
  const door = createDoor({
    openLoaders: (apiKey, departure) =>
      createLoaders(client, createCaller(apiKey, departure, config.operationTimeoutMs)),
    pipeline,
    onFault,
    graphiql: config.graphiql
      ? createGraphiql({ apiKey: example.apiKey, tabs: exampleTabs(example) })
      : undefined,
  });

  return {
    drift: drift.counts,
    async start() {
      const server = await startServer(door, config.host, config.port);
      return {
        url: server.url,
        async close() {
          await server.close();
          await client.close();
        },
      };
    },
  };
}
