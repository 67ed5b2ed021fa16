import type { Config } from './config.ts';
import { codeOfCall, createErrorMask, errorCodes } from './errors.ts';
import { createAdmission } from './http/admission.ts';
import { createPreflightLog } from './http/cors.ts';
import { type Example, exampleTabs } from './http/graphiql/examples.ts';
import { createGraphiql } from './http/graphiql/graphiql.ts';
import { createGraphqlHandler } from './http/graphql-handler.ts';
import { createHeartbeats } from './http/live/heartbeats.ts';
import { createProbes } from './http/probes.ts';
import { type Listening, startServer } from './http/server/server.ts';
import { createInput } from './input.ts';
import { createLoaders } from './loaders.ts';
import { createPipeline, type Pipeline, type PipelineBounds } from './operation/pipeline.ts';
import type { TrustedDocuments } from './operation/trusted/manifest.ts';
import { readTrustedFile, startTrustedFile } from './operation/trusted/manifest-file.ts';
import { schema } from './schema/index.ts';
import { withLiveQueries } from './schema/live.ts';
import { createDriftCounter } from './telemetry/drift.ts';
import { logFailure, logFault } from './telemetry/logs/log-lines.ts';
import type { Logger } from './telemetry/logs/logger.ts';
import { createRejectionLog, type Rejection } from './telemetry/logs/rejections.ts';
import type { GatewayMetrics, GatewayStats } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/request-observer.ts';
import type { Tracing } from './telemetry/traces/tracing.ts';
import { createCaller, keyHashOf } from './upstream/caller.ts';
import { createUpstreamClient } from './upstream/client.ts';
import { driftFields } from './upstream/decoding/decode.ts';
import type { UpstreamBounds } from './upstream/stack.ts';
import { pathOf } from './upstream/target.ts';

export type { Example };

export interface GatewayOptions {
  config: Config;
  upstreamUrl: URL;
  example: Example;
  /** No line holds a key. */
  logger: Logger;
  /** Absent where metrics are off. */
  metrics?: GatewayMetrics | undefined;
  /** Absent where traces are off. The caller closes it. */
  tracing?: Tracing | undefined;
  /** Other values than the constants that protect the process, for tests. */
  bounds?: Bounds;
}

/** Each is a constant beside the code that it bounds. */
export interface Bounds extends PipelineBounds, UpstreamBounds {
  maxStreamsPerKey?: number;
  maxPollsPerKey?: number;
}

export interface Gateway {
  /** The number of requests executed on the fast path. */
  fastPathOperations(): number;
  /** The REST API responses that differed from the contract, by field. */
  drift(): ReadonlyMap<string, number>;
  /** Plans operations without serving. */
  readonly planner: Pipeline['planner'];
  /** Reads the trusted documents without serving: their number, or all their faults. */
  readTrusted(): Promise<{ count: number; faults?: never } | { count?: never; faults: string[] }>;
  /**
   * Reads the trusted documents, and serves on the configured port. Rejects when the documents cannot be read or the port is
   * not available.
   */
  start(): Promise<Serving>;
}

export interface Serving extends Listening {
  /** Whether `/readyz` is 200. */
  isReady(): boolean;
  /** From now on `/readyz` is 503; requests are served as before. */
  retire(): void;
}

/** Builds a gateway from its parts, without I/O. */
export function createGateway(options: GatewayOptions): Gateway {
  const { config, upstreamUrl, example, logger, metrics, tracing } = options;
  let server: Listening | undefined;
  const log = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => logFault(logger, fault, server?.secrets() ?? []);
  const drift = createDriftCounter(log);
  const client = createUpstreamClient({
    ...config.upstream,
    ...options.bounds,
    live: config.live && { ...config.live, ...options.bounds },
    url: upstreamUrl,
    drift: drift.count,
    onFault: ({ message }) => log(message),
    onFailure(call, { keyHash, request }, error) {
      const code = codeOfCall(call.status, error);
      logFailure(logger, call, { requestId: request?.requestId, owner: keyHash, code, error });
    },
  });
  const { trustedDocuments } = config;
  const documents: TrustedDocuments = { current: new Map() };
  const isObserved = logger.isLevelEnabled('info') || metrics !== undefined || tracing !== undefined;
  const pipeline = createPipeline({
    schema: config.live ? withLiveQueries(schema) : schema,
    input: createInput(config),
    introspection: config.introspection,
    maxDepth: config.maxDepth,
    maxIds: config.maxIds,
    maxUpstreamCalls: config.maxUpstreamCalls,
    maxResponseBytes: config.maxResponseBytes,
    compiledBytes: config.compiledBytes,
    bounds: options.bounds,
    toPath: pathOf,
    mask: createErrorMask(onFault),
    trust: trustedDocuments ? { documents, only: trustedDocuments.only } : undefined,
    live: config.live && { ...config.live, ...options.bounds },
    polls: client.polls,
    operationTimeoutMs: config.operationTimeoutMs,
    isObserved,
  });
  const { live } = pipeline;
  const logRejection = createRejectionLog(logger);
  const onRejected = (rejection: Rejection) => {
    logRejection(rejection);
    metrics?.countRejection(rejection.status);
  };
  const admission = createAdmission(config.maxConcurrentOperations, () => server?.unread.isOver() ?? false);
  const handler = createGraphqlHandler({
    createLoaders(apiKey, disconnected, request, observer) {
      const { socket } = request.req;
      const caller = createCaller(apiKey, disconnected, config.operationTimeoutMs, request, socket);
      if (!observer) return createLoaders(client, caller, config.maxUpstreamCalls);
      const { trace } = observer;
      const loaders = createLoaders(trace?.client(client) ?? client, caller, config.maxUpstreamCalls);
      observer.owner = caller.keyHash;
      observer.loaders = trace?.loaders(loaders) ?? loaders;
      return observer.loaders;
    },
    observe: isObserved
      ? createObserver({ logger, metrics, tracing, identify: pipeline.identify, onFault })
      : undefined,
    pipeline,
    live: live && {
      ...live,
      heartbeats: createHeartbeats(),
      open: (operation, apiKey, { socket }, subscriber) =>
        live.open(operation, { apiKey, keyHash: keyHashOf(apiKey, socket) }, subscriber),
    },
    maxBodyBytes: config.maxBodyBytes,
    admission,
    onFault,
    onRefusedOrigin: createPreflightLog({ log, secrets: () => server?.secrets() ?? [] }),
    graphiql: config.graphiql
      ? createGraphiql({ apiKey: example.apiKey, tabs: exampleTabs(example, config.live !== null) })
      : undefined,
  });

  const fastPathOperations = () => pipeline.fastPath?.operations ?? 0;
  const stats = (): GatewayStats => ({
    connections: server?.connections() ?? 0,
    unreadBytes: server?.unread.count() ?? 0,
    closedUnread: server?.closedUnread() ?? 0,
    activeOperations: admission.active,
    fastPathOperations: fastPathOperations(),
    compiled: pipeline.compiled,
    documents: pipeline.documents,
    upstream: client.state(),
    drift: drift.counts(),
    live: live?.stats(),
  });

  let isReady = true;
  const listener = createProbes(() => isReady, handler);

  return {
    drift: drift.counts,
    fastPathOperations,
    planner: pipeline.planner,
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
      await client.join();
      const listening = await startServer(listener, { ...config, onRejected }).catch(
        async (error: unknown) => {
          await Promise.all([file?.close(), client.close()]);
          throw error;
        },
      );
      server = listening;
      metrics?.start(stats, {
        codes: errorCodes,
        driftFields,
        hasLive: live !== undefined,
      });
      // The port closes while a manifest is still being read.
      const closeAfter = async <T>(end: Promise<T>): Promise<T> => {
        const [last] = await Promise.all([end, file?.close()]);
        await client.close();
        return last;
      };
      return {
        ...listening,
        isReady: () => isReady,
        close: () => closeAfter(listening.close()),
        drain: (timeoutMs) => closeAfter(listening.drain(timeoutMs)),
        retire: () => {
          isReady = false;
        },
      };
    },
  };
}
