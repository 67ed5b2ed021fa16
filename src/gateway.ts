import type { Composition } from './composition.ts';
import type { CoreConfig } from './config/core.ts';
import { codeOfCall, createErrorMask, errorCodes } from './errors.ts';
import type { Example } from './example.ts';
import type { Gauge } from './gauges.ts';
import { createAdmission } from './http/admission.ts';
import { createHandler } from './http/handler.ts';
import { checkInternals } from './http/node-internals.ts';
import { createServer } from './http/server.ts';
import { createInput } from './input.ts';
import { OperationCalls } from './loaders.ts';
import { createCaller } from './operation/caller.ts';
import { createPipeline, type PipelineBounds } from './operation/pipeline.ts';
import { servedSchema } from './schema/index.ts';
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
import { createUpstreamClient, type UpstreamOptions } from './upstream/client.ts';
import { noticeFields } from './upstream/notices.ts';
import { driftFields } from './upstream/resources.ts';
import type { UpstreamBounds } from './upstream/stack.ts';

/** What it reads of the configuration: that of the core, and that of the features, as they are composed. */
export interface GatewayConfig extends CoreConfig {
  /** Null: no live queries. */
  live: NonNullable<UpstreamOptions['live']> | null;
}

interface GatewayOptions<Config extends GatewayConfig> {
  config: Config;
  upstreamUrl: URL;
  example: Example;
  composition: Composition<Config>;
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
interface Bounds extends PipelineBounds, UpstreamBounds {}

export type Gateway = ReturnType<typeof createGateway>;

/** Builds a gateway from its parts, without I/O. */
export function createGateway<Config extends GatewayConfig>(options: GatewayOptions<Config>) {
  const { composition, config, example, logger, metrics, tracing, bounds } = options;
  let readiness: 'starting' | 'ok' | 'draining' = 'starting';
  let started: { close(): Promise<void> } | undefined;

  const logRejection = createRejectionLog(logger);
  const onRejected: OnRejected = (rejection) => {
    logRejection(rejection);
    metrics?.countRejection(rejection.status);
  };
  const server = createServer({ ...config, onRejected, responseFields: composition.responseFields(config) });
  const log = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => logFault(logger, fault, server.secrets());

  const drift = createDriftLog(logger, [...driftFields, ...noticeFields]);
  const deprecation = createDeprecationLog(logger);
  const client = createUpstreamClient({
    ...config.upstream,
    ...bounds,
    ...composition.upstream(config, ({ message }) => log(message)),
    live: config.live && { ...config.live, ...bounds },
    url: options.upstreamUrl,
    drift: drift.count,
    onDeprecation: deprecation.onDeprecation,
    onFailure(call, { keyHash, request }, error) {
      const code = codeOfCall(call.status, error);
      logFailure(logger, call, { requestId: request?.requestId, owner: keyHash, code, error });
    },
  });
  const isObserved = logger.isLevelEnabled('info') || metrics !== undefined || tracing !== undefined;
  const pipeline = createPipeline({
    ...config,
    schema: servedSchema(composition.schema(config)),
    input: createInput(config),
    bounds,
    mask: createErrorMask(onFault),
    polls: client.polls,
    isObserved,
    operations: (core) => composition.operations(core, config),
  });
  const { identify, coordinates } = pipeline;
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
    routes: composition.routes(config, { example, log, secrets: server.secrets }),
    lanes: pipeline.lanes,
    fullPipeline: pipeline.answer,
    maxBodyBytes: config.maxBodyBytes,
    admission,
    isReady: () => readiness === 'ok',
    onFault,
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
    /** What operations are read by without serving. */
    operations: pipeline.operations,
    /** The fields of the schema, and those of documents. */
    coordinates,
    /** `/readyz` is 200 while it is `ok`. */
    readiness: () => readiness,
    /** Reads without serving what features read at the start, beside the settings. */
    checks: pipeline.checks,
    /**
     * Starts what features need, and serves on the configured port. Resolves to `http://host:port`; rejects when
     * one of them cannot start or the port is not available.
     */
    async start(): Promise<string> {
      started = await pipeline.start(log);
      if (!(await checkInternals()))
        log(`Node ${process.version} is served by its documented interfaces, a tenth slower: others differ`);
      await client.join();
      const url = await server.start(handler).catch(async (error: unknown) => {
        await Promise.all([started?.close(), client.close()]);
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
      const [aborted] = await Promise.all([server.drain(timeoutMs), started?.close()]);
      await client.close();
      return aborted;
    },
  };
}
