import type { Composition, RouteOptions } from './composition.ts';
import type { CoreConfig } from './config/core.ts';
import { createHandler } from './http/handler.ts';
import { createServer } from './http/server.ts';
import { isKnownNode } from './http/socket/node-internals.ts';
import { loggerOf, type Observer, reportTo } from './observers/observer.ts';
import { createRecorder } from './observers/recorder.ts';
import { createPipeline } from './operation/pipeline.ts';
import { createDriftCount } from './rest/drift.ts';
import { createUpstream } from './rest/stack.ts';
import { createErrorMask } from './schema/error-mask.ts';
import { codeOfCall, errorCodes } from './schema/errors.ts';
import { servedSchema } from './schema/index.ts';

interface GatewayOptions<Config extends CoreConfig> {
  config: Config;
  upstreamUrl: URL;
  example: RouteOptions['example'];
  composition: Composition<Config>;
  /** Who observes it, in the order in which each gets what is observed. The caller closes them. */
  observers?: readonly Observer[];
}

export type Gateway = ReturnType<typeof createGateway>;

/** Builds a gateway from its parts, without I/O. */
export function createGateway<Config extends CoreConfig>(options: GatewayOptions<Config>) {
  const { composition, config, example, observers = [] } = options;
  let readiness: 'starting' | 'ok' | 'draining' = 'starting';

  const logger = loggerOf(observers);
  const log = (line: string) => logger.warn(line);
  const parts = composition.compose(config, ({ message }) => log(message));
  const reports = reportTo(observers);
  const server = createServer({ ...config, ...parts, onRejected: reports.onRejected });
  const onFault = (fault: unknown) => reports.onFault(fault, server.secrets());

  const drift = createDriftCount(reports.onDrift);
  const upstream = createUpstream({
    ...config,
    ...config.upstream,
    ...parts.upstream,
    url: options.upstreamUrl,
    drift: drift.count,
    onDeprecation: reports.onDeprecation,
    onFailure(call, { key, request }, error) {
      const code = codeOfCall(call.status, error);
      reports.onFailure(call, { requestId: request?.requestId, owner: key.hash, code, error });
    },
  });
  const isObserved = observers.some(({ trace, onFinished }) => trace || onFinished);
  const pipeline = createPipeline({
    ...config,
    schema: servedSchema(parts.schema),
    mask: createErrorMask(onFault),
    request: upstream.request,
    isObserved,
    operationParts: parts.operationParts,
  });
  const handler = createHandler({
    ...config,
    ...parts,
    ...pipeline,
    client: upstream.client,
    observe: isObserved
      ? createRecorder({ ...pipeline.core, isPlan: pipeline.isPlan, observers, onFault })
      : undefined,
    routes: parts.routes({ example, log, secrets: server.secrets }),
    isReady: () => readiness === 'ok',
    onFault,
  });

  const gauges = [
    ...server.gauges,
    handler.gauge,
    ...pipeline.gauges,
    ...upstream.gauges,
    drift.gauge,
    ...observers.flatMap((observer) => observer.gauges ?? []),
  ];

  return {
    gauges,
    operations: pipeline.core,
    /** `/readyz` is 200 while it is `ok`. */
    readiness: () => readiness,
    /** Reads without serving what features read at the start, beside the settings. */
    checks: pipeline.checks,
    /** Opens the observers and the port. Resolves to `http://host:port`; rejects if one of them cannot start. */
    async start(): Promise<string> {
      const observed = { gauges, errorCodes, readiness: () => readiness };
      for (const observer of observers) await observer.open?.(observed);
      await pipeline.start();
      if (!isKnownNode) log(`Node ${process.version} is served by its documented interfaces, a tenth slower`);
      const url = await server.start(handler.listener).catch(async (error: unknown) => {
        await upstream.close();
        throw error;
      });
      readiness = 'ok';
      return url;
    },
    /** From now on it is `draining`; requests are served as before. */
    retire(): void {
      readiness = 'draining';
    },
    /** Closes the port and, after at most `timeoutMs`, all connections. Resolves to the number of aborted requests. */
    async drain(timeoutMs: number): Promise<number> {
      const aborted = await server.drain(timeoutMs);
      await upstream.close();
      return aborted;
    },
  };
}
