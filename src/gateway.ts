import type { Config } from './config.ts';
import { createErrorMask } from './errors.ts';
import { createAdmission } from './http/admission.ts';
import { createDoor } from './http/door.ts';
import { type Example, exampleTabs } from './http/examples.ts';
import { createGraphiql } from './http/graphiql.ts';
import { type Listening, startServer } from './http/server.ts';
import { createInput } from './input.ts';
import { createLoaders } from './loaders.ts';
import { createPipeline } from './operation/pipeline.ts';
import type { TrustedDocuments } from './operation/trusted-documents.ts';
import { readTrustedFile, startTrustedFile } from './operation/trusted-file.ts';
import { schema } from './schema/index.ts';
import { createDriftCounter } from './telemetry/drift.ts';
import { createCaller } from './upstream/caller.ts';
import { createUpstreamClient } from './upstream/client.ts';
import { pathOf } from './upstream/paths.ts';

export type { Example };

export interface GatewayOptions {
  config: Config;
  upstreamUrl: URL;
  example: Example;
  /** Where the gateway says what its operator should know; no line holds a key. */
  log: (line: string) => void;
}

export interface Gateway {
  /** How many requests the express lane has answered. */
  expressed(): number;
  /** How often the REST API's answers differed from its contract so far, by field. */
  drift(): ReadonlyMap<string, number>;
  /** Reads the trusted documents and nothing else: how many there are, or all their faults. */
  readTrusted(): Promise<{ count: number; faults?: never } | { count?: never; faults: string[] }>;
  /** Reads the trusted documents and opens the port of the configuration. Rejects when either cannot be had. */
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
  const { trustedDocuments } = config;
  const documents: TrustedDocuments = { inForce: new Map() };
  const pipeline = createPipeline({
    schema,
    input: createInput(config),
    introspection: config.introspection,
    limits: config.limits,
    documentCacheBytes: config.documentCacheBytes,
    compiler: config.compiler,
    maxIds: config.maxIds,
    maxUpstreamCalls: config.maxUpstreamCalls,
    toPath: pathOf,
    mask: createErrorMask(onFault),
    trust: trustedDocuments ? { documents, only: trustedDocuments.only } : undefined,
  });
  const door = createDoor({
    openLoaders: (apiKey, departure) =>
      createLoaders(
        client,
        createCaller(apiKey, departure, config.operationTimeoutMs),
        config.maxUpstreamCalls,
      ),
    pipeline,
    maxBodyBytes: config.maxBodyBytes,
    admission: createAdmission(config.maxConcurrentOperations),
    onFault,
    graphiql: config.graphiql
      ? createGraphiql({ apiKey: example.apiKey, tabs: exampleTabs(example) })
      : undefined,
  });

  return {
    drift: drift.counts,
    expressed: () => pipeline.express?.answered ?? 0,
    async readTrusted() {
      if (!trustedDocuments) return { count: 0 };
      const read = await readTrustedFile(trustedDocuments.path, documents, pipeline.validate);
      return read.faults ? { faults: read.faults } : { count: read.documents.size };
    },
    async start() {
      const file = trustedDocuments
        ? await startTrustedFile({
            path: trustedDocuments.path,
            documents,
            validate: pipeline.validate,
            log,
          })
        : undefined;
      const server = await startServer(door, config).catch(async (error: unknown) => {
        await file?.close();
        throw error;
      });
      return {
        url: server.url,
        async close() {
          // No more connections while a file is being read to its end.
          await Promise.all([server.close(), file?.close()]);
          await client.close();
        },
      };
    },
  };
}
