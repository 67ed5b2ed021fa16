import type { Config } from './config.ts';
import { codeOfCall, createErrorMask, errorCodes } from './errors.ts';
import type { Gauge } from './gauges.ts';
import { createPreflightLog } from './http/cors.ts';
import { createGraphiql } from './http/graphiql.ts';
import { createAdmission, createHandler } from './http/handler.ts';
import { checkInternals } from './http/node-internals.ts';
import { createServer } from './http/server.ts';
import { createInput } from './input.ts';
import { OperationCalls } from './loaders.ts';
import { createCaller } from './operation/caller.ts';
import { createPipeline, type PipelineBounds } from './operation/pipeline.ts';
import { readTrustedFile, startTrustedFile, type TrustedDocuments } from './operation/trusted-documents.ts';
import { servedSchema } from './schema/index.ts';
import type { Extend } from './schema/sdl.ts';
import { droppedLines, type Logger } from './telemetry/log.ts';
import {
  createDeprecationLog,
  createDriftLog,
  createRejectionLog,
  logFailure,
  logFault,
  type OnRejected,
} from './telemetry/log-lines.ts';
import type { GatewayMetrics } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/observer.ts';
import type { Tracing } from './telemetry/traces.ts';
import { keyHashOf } from './upstream/caller.ts';
import { createUpstreamClient, type UpstreamParts } from './upstream/client.ts';
import { noticeFields } from './upstream/notices.ts';
import { driftFields, pathOf } from './upstream/resources.ts';
import type { UpstreamBounds } from './upstream/stack.ts';

interface GatewayOptions {
  config: Config;
  upstreamUrl: URL;
  example: Parameters<typeof createGraphiql>[0]['example'];
  /** No line holds a key. */
  logger: Logger;
  /** Absent where metrics are off. */
  metrics?: GatewayMetrics | undefined;
  /** Absent where traces are off. The caller closes it. */
  tracing?: Tracing | undefined;
  parts: Parts;
  /** Other values than the constants that protect the process, for tests. */
  bounds?: Bounds;
}

/** What features contribute, composed in features.ts. */
export interface Parts {
  /** `onFault` gets what the operator should know. */
  upstream(given: Config & { onFault(fault: Error): void }): UpstreamParts;
  /** What the schema has besides the public contract, in the order in which it is added. */
  schema(config: Config): readonly Extend[];
}

/** Each is a constant beside the code that it bounds. */
interface Bounds extends PipelineBounds, UpstreamBounds {
  streamsPerKey?: number;
  maxGroupsPerKey?: number;
  maxPollsPerKey?: number;
}

export type Gateway = ReturnType<typeof createGateway>;

/** Builds a gateway from its parts, without I/O. */
export function createGateway(options: GatewayOptions) {
  const { config, example, logger, metrics, tracing, bounds } = options;
  const { trustedDocuments } = config;
  let readiness: 'starting' | 'ok' | 'draining' = 'starting';
  let file: { close(): Promise<void> } | undefined;

  const logRejection = createRejectionLog(logger);
  const onRejected: OnRejected = (rejection) => {
    logRejection(rejection);
    metrics?.countRejection(rejection.status);
  };
  const server = createServer({ ...config, onRejected });
  const log = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => logFault(logger, fault, server.secrets());

  const drift = createDriftLog(logger, [...driftFields, ...noticeFields]);
  const deprecation = createDeprecationLog(logger);
  const client = createUpstreamClient({
    ...config.upstream,
    ...bounds,
    ...options.parts.upstream({ ...config, onFault: ({ message }) => log(message) }),
    live: config.live && { ...config.live, ...bounds },
    url: options.upstreamUrl,
    drift: drift.count,
    onDeprecation: deprecation.onDeprecation,
    onFailure(call, { keyHash, request }, error) {
      const code = codeOfCall(call.status, error);
      logFailure(logger, call, { requestId: request?.requestId, owner: keyHash, code, error });
    },
  });
  const documents: TrustedDocuments = { current: new Map() };
  const isObserved = logger.isLevelEnabled('info') || metrics !== undefined || tracing !== undefined;
  const pipeline = createPipeline({
    ...config,
    schema: servedSchema(options.parts.schema(config)),
    input: createInput(config),
    bounds,
    toPath: pathOf,
    mask: createErrorMask(onFault),
    trust: trustedDocuments ? { documents, only: trustedDocuments.only } : undefined,
    live: config.live && { ...config.live, ...bounds },
    polls: client.polls,
    isObserved,
  });
  const { live, identify, coordinates } = pipeline;
  const admission = createAdmission(config.maxConcurrentOperations, server.unread);
  const handler = createHandler({
    createCalls(apiKey, res, observer) {
      const caller = createCaller(apiKey, res.disconnected, config.operationTimeoutMs, res, res.req.socket);
      const calls = new OperationCalls(client, caller, config.maxUpstreamCalls);
      res.calls = calls;
      if (!observer) return calls;
      observer.owner = caller.keyHash;
      observer.calls = calls;
      const { loadObserver } = observer.trace ?? {};
      if (loadObserver) calls.observe(loadObserver);
      return calls;
    },
    observe: isObserved
      ? createObserver({ logger, metrics, tracing, identify, coordinates, onFault })
      : undefined,
    pipeline,
    live: live && {
      ...live,
      open: (operation, apiKey, subscriber) =>
        live.open(operation, { apiKey, keyHash: keyHashOf(apiKey) }, subscriber),
    },
    maxBodyBytes: config.maxBodyBytes,
    admission,
    isReady: () => readiness === 'ok',
    onFault,
    onRejectedOrigin: createPreflightLog(log, server.secrets),
    graphiql: config.graphiql ? createGraphiql({ example, hasLive: config.live !== null }) : undefined,
  });

  const gauges: Gauge[] = [
    ...server.gauges,
    admission.gauge,
    ...pipeline.gauges,
    ...client.gauges,
    deprecation.gauge,
    drift.gauge,
    droppedLines,
  ];

  return {
    gauges,
    /** The REST API responses that differed from the contract, by field. */
    drift: drift.counts,
    /** The number of requests executed on the fast path. */
    fastPathOperations: () => pipeline.fastPath?.gauge.read() ?? 0,
    /** Plans operations without serving. */
    planner: pipeline.planner,
    /** The fields of the schema, and those of documents. */
    coordinates,
    /** `/readyz` is 200 while it is `ok`. */
    readiness: () => readiness,
    /** Reads the trusted documents without serving: all of them, or all their faults. */
    readTrusted: async (): Promise<Awaited<ReturnType<typeof readTrustedFile>>> =>
      trustedDocuments
        ? readTrustedFile(trustedDocuments.path, documents, pipeline.validate)
        : { documents: documents.current },
    /**
     * Reads the trusted documents, and serves on the configured port. Resolves to `http://host:port`; rejects
     * when the documents cannot be read or the port is not available.
     */
    async start(): Promise<string> {
      if (trustedDocuments) {
        const { validate } = pipeline;
        file = await startTrustedFile({ path: trustedDocuments.path, documents, validate, log });
      }
      if (!(await checkInternals()))
        log(`Node ${process.version} is served by its documented interfaces, a tenth slower: others differ`);
      await client.join();
      const url = await server.start(handler).catch(async (error: unknown) => {
        await Promise.all([file?.close(), client.close()]);
        throw error;
      });
      readiness = 'ok';
      metrics?.start(gauges, errorCodes);
      return url;
    },
    /** From now on it is `draining`; requests are served as before. */
    retire(): void {
      readiness = 'draining';
    },
    /**
     * Closes the port, and serves the open connections for at most `timeoutMs`. Resolves to the number of
     * responses that were pending then and are aborted.
     */
    async drain(timeoutMs: number): Promise<number> {
      // The port closes while a manifest is still being read.
      const [aborted] = await Promise.all([server.drain(timeoutMs), file?.close()]);
      await client.close();
      return aborted;
    },
  };
}
