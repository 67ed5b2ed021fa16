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
import { loggerOf, type Observer, reportTo } from './observers/observer.ts';
import { createRecorder, observesRequests } from './observers/recorder.ts';
import { createCaller } from './operation/caller.ts';
import { createPipeline, type PipelineBounds } from './operation/pipeline.ts';
import { readTrustedFile, startTrustedFile, type TrustedDocuments } from './operation/trusted-documents.ts';
import { servedSchema } from './schema/index.ts';
import { keyHashOf } from './upstream/caller.ts';
import { createUpstreamClient } from './upstream/client.ts';
import { createDriftCount } from './upstream/drift.ts';
import { noticeFields } from './upstream/notices.ts';
import { driftFields, pathOf } from './upstream/resources.ts';
import type { UpstreamBounds } from './upstream/stack.ts';
import { createSunset } from './upstream/sunset.ts';

interface GatewayOptions {
  config: Config;
  upstreamUrl: URL;
  example: Parameters<typeof createGraphiql>[0]['example'];
  /** Who observes it, in the order in which each gets what is observed. The caller closes them. */
  observers?: readonly Observer[];
  /** Other values than the constants that protect the process, for tests. */
  bounds?: Bounds;
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
  const { config, example, observers = [], bounds } = options;
  const { trustedDocuments } = config;
  let readiness: 'starting' | 'ok' | 'draining' = 'starting';
  let file: { close(): Promise<void> } | undefined;

  const reports = reportTo(observers);
  const server = createServer({ ...config, onRejected: reports.onRejected });
  const logger = loggerOf(observers);
  const log = (line: string) => logger.warn(line);
  const onFault = (fault: unknown) => reports.onFault(fault, server.secrets());

  const drift = createDriftCount([...driftFields, ...noticeFields], reports.onDrift);
  const sunset = createSunset();
  const client = createUpstreamClient({
    ...config.upstream,
    ...bounds,
    live: config.live && { ...config.live, ...bounds },
    url: options.upstreamUrl,
    drift: drift.count,
    onFault: ({ message }) => log(message),
    onDeprecation(deprecation) {
      sunset.remember(deprecation);
      reports.onDeprecation(deprecation);
    },
    onFailure(call, { keyHash, request }, error) {
      const code = codeOfCall(call.status, error);
      reports.onFailure(call, { requestId: request?.requestId, owner: keyHash, code, error });
    },
  });
  const documents: TrustedDocuments = { current: new Map() };
  const isObserved = observers.some(observesRequests);
  const pipeline = createPipeline({
    ...config,
    schema: servedSchema({ ...config, live: config.live !== null }, config.introspection === 'off'),
    input: createInput(config),
    bounds,
    toPath: pathOf,
    mask: createErrorMask(onFault),
    trust: trustedDocuments ? { documents, only: trustedDocuments.only } : undefined,
    live: config.live && { ...config.live, ...bounds },
    polls: client.polls,
    isObserved,
  });
  const { live, coordinates } = pipeline;
  const admission = createAdmission(config.maxConcurrentOperations, server.unread);
  const handler = createHandler({
    createCalls(apiKey, res, observer) {
      const caller = createCaller(apiKey, res.disconnected, config.operationTimeoutMs, res, res.req.socket);
      const calls = new OperationCalls(client, caller, config.maxUpstreamCalls);
      res.calls = calls;
      if (!observer) return calls;
      observer.owner = caller.keyHash;
      observer.calls = calls;
      for (const { loadObserver } of observer.traces) if (loadObserver) calls.observe(loadObserver);
      return calls;
    },
    observe: isObserved ? createRecorder({ ...pipeline, observers, onFault }) : undefined,
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
    sunset.gauge,
    drift.gauge,
    ...observers.flatMap((observer) => observer.gauges ?? []),
  ];
  const readState = () => readiness;

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
    readiness: readState,
    /** Reads the trusted documents without serving: all of them, or all their faults. */
    readTrusted: async (): Promise<Awaited<ReturnType<typeof readTrustedFile>>> =>
      trustedDocuments
        ? readTrustedFile(trustedDocuments.path, documents, pipeline.validate)
        : { documents: documents.current },
    /**
     * Opens the observers, reads the trusted documents, and serves on the configured port. Resolves to
     * `http://host:port`; rejects when the documents cannot be read or a port is not available.
     */
    async start(): Promise<string> {
      const observed = { gauges, errorCodes, readiness: readState };
      for (const observer of observers) await observer.open?.(observed);
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
