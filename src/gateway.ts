import type { Config } from './config.ts';
import { codeOfCall, createErrorMask, errorCodes } from './errors.ts';
import { createAdmission } from './http/admission.ts';
import { createPreflightLog } from './http/cors.ts';
import { createDoor } from './http/door.ts';
import { type Example, exampleTabs } from './http/examples.ts';
import { createGraphiql } from './http/graphiql.ts';
import type { Params } from './http/params.ts';
import { createProbes } from './http/probes.ts';
import { type Feed, type Listening, startServer } from './http/server.ts';
import { createInput } from './input.ts';
import { createLoaders } from './loaders.ts';
import { createPipeline } from './operation/pipeline.ts';
import type { TrustedDocuments } from './operation/trusted/manifest.ts';
import { readTrustedFile, startTrustedFile } from './operation/trusted/manifest-file.ts';
import { schema } from './schema/index.ts';
import { createDriftCounter } from './telemetry/drift.ts';
import { logFailure, logFault } from './telemetry/log-lines.ts';
import type { Logger } from './telemetry/logger.ts';
import { createNumbers, type Numbers } from './telemetry/numbers.ts';
import { createObserver } from './telemetry/observer.ts';
import { createRejectionLog, type Rejection } from './telemetry/rejections.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { createCaller } from './upstream/caller.ts';
import { createUpstreamClient } from './upstream/client.ts';
import { driftFields } from './upstream/decoding/decode.ts';
import { pathOf } from './upstream/paths.ts';

export type { Example, Feed };

export interface GatewayOptions {
  config: Config;
  upstreamUrl: URL;
  example: Example;
  /** Where the gateway says what its operator should know; no line holds a key. */
  logger: Logger;
  /** Absent: no traces are made. It is for whoever started it to close. */
  tracing?: Tracing | undefined;
}

export interface Gateway {
  /** How many requests the express lane has answered. */
  fastPathOperations(): number;
  /** How often the REST API's answers differed from its contract so far, by field. */
  drift(): ReadonlyMap<string, number>;
  /** Reads the trusted documents and nothing else: how many there are, or all their faults. */
  readTrusted(): Promise<{ count: number; faults?: never } | { count?: never; faults: string[] }>;
  /** What Prometheus reads; null where the configuration has no port for it. */
  numbers: Numbers | null;
  /**
   * Reads the trusted documents and opens the port of the configuration, if no `feed` has it. Rejects when either
   * cannot be had.
   */
  start(feed?: Feed): Promise<Serving>;
}

export interface Serving extends Listening {
  /** Whether it is to be sent requests, as `/readyz` says. */
  isReady(): boolean;
  /** From now on says at `/readyz` that it is not to be sent requests, and goes on. */
  retire(): void;
}

/** Puts the rooms together; nothing is opened before `start`. */
export function createGateway({ config, upstreamUrl, example, logger, tracing }: GatewayOptions): Gateway {
  let server: Listening | undefined;
  const log = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => logFault(logger, fault, server?.secrets() ?? []);
  const drift = createDriftCounter(log);
  const client = createUpstreamClient({
    ...config.upstream,
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
  const numbers = config.telemetry.admin ? createNumbers({ codes: errorCodes, driftFields }) : null;
  const isWatched = logger.isLevelEnabled('info') || numbers !== null || tracing !== undefined;
  const pipeline = createPipeline({
    schema,
    input: createInput(config),
    introspection: config.introspection,
    limits: config.limits,
    documentCacheBytes: config.documentCacheBytes,
    compiler: config.compiler,
    maxIds: config.maxIds,
    maxUpstreamCalls: config.maxUpstreamCalls,
    maxResources: config.maxResources,
    response: config.response,
    toPath: pathOf,
    mask: createErrorMask(onFault),
    trust: trustedDocuments ? { documents, only: trustedDocuments.only } : undefined,
    isObserved: isWatched,
  });
  const logRejection = createRejectionLog(logger);
  const onRejected = (rejection: Rejection) => {
    logRejection(rejection);
    numbers?.countRejection(rejection.status);
  };
  const admission = createAdmission(config.maxConcurrentOperations, () => server?.unread.isOver() ?? false);
  const door = createDoor({
    openLoaders(apiKey, departure, request, watch) {
      const caller = createCaller(apiKey, departure, config.operationTimeoutMs, request);
      if (!watch) return createLoaders(client, caller, config.maxUpstreamCalls);
      const { trace } = watch;
      const loaders = createLoaders(trace?.client(client) ?? client, caller, config.maxUpstreamCalls);
      watch.owner = caller.keyHash;
      watch.loaders = trace?.loaders(loaders) ?? loaders;
      return watch.loaders;
    },
    watch: isWatched
      ? createObserver<Params>({ logger, numbers, tracing, identify: pipeline.identify, onFault })
      : undefined,
    pipeline,
    maxBodyBytes: config.maxBodyBytes,
    admission,
    onFault,
    onRefusedOrigin: createPreflightLog({ log, secrets: () => server?.secrets() ?? [] }),
    graphiql: config.graphiql
      ? createGraphiql({ apiKey: example.apiKey, tabs: exampleTabs(example) })
      : undefined,
  });

  const fastPathOperations = () => pipeline.fastPath?.operations ?? 0;
  const standing = () => ({
    connections: server?.connections() ?? 0,
    unreadBytes: server?.unread.count() ?? 0,
    closedUnread: server?.closedUnread() ?? 0,
    operationsAtWork: admission.atWork,
    fastPathOperations: fastPathOperations(),
    compiled: pipeline.compiled,
    documents: pipeline.documents,
    upstream: client.state(),
    drift: drift.counts(),
  });

  let isReady = true;
  const listener = createProbes(() => isReady, door);

  return {
    drift: drift.counts,
    numbers,
    fastPathOperations,
    async readTrusted() {
      if (!trustedDocuments) return { count: 0 };
      const read = await readTrustedFile(trustedDocuments.path, documents, pipeline.validate);
      return read.faults ? { faults: read.faults } : { count: read.documents.size };
    },
    async start(feed) {
      const file = trustedDocuments
        ? await startTrustedFile({
            path: trustedDocuments.path,
            documents,
            validate: pipeline.validate,
            log,
          })
        : undefined;
      await client.join();
      const listening = await startServer(listener, { ...config, onRejected }, feed).catch(
        async (error: unknown) => {
          await Promise.all([file?.close(), client.close()]);
          throw error;
        },
      );
      server = listening;
      const stopNumbers = numbers?.start(standing);
      // No more connections while a file is being read to its end.
      const closeAfter = async <T>(end: Promise<T>): Promise<T> => {
        const [last] = await Promise.all([end, file?.close()]);
        await client.close();
        stopNumbers?.();
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
