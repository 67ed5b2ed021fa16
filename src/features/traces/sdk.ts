import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { readEnv, version } from '../../config/settings.ts';
import type { Logger } from '../../observers/logger.ts';
import { parse } from '../../rest/json.ts';

/** Unless a variable says otherwise: the exit of the gateway waits for it. */
const SEND_TIMEOUT_MS = 2000;
const REPORT_EVERY_MS = 60_000;

/**
 * Creates the tracer, whose spans are sent in batches, in the background. The SDK reads the variables of the collector
 * and of the resource. A value that is ignored is logged.
 */
export function startSdk(logger: Logger) {
  const warn = (message: string) => logger.warn(message);
  // The level of a fault of OTEL_RESOURCE_ATTRIBUTES.
  const debug = (message: string) => message.startsWith('EnvDetector') && warn(message);
  const diagnostics = { error: warn, warn, info: warn, debug, verbose: warn };
  diag.setLogger(diagnostics, { logLevel: DiagLogLevel.DEBUG, suppressOverrideMessage: true });
  const env = readEnv();
  const hasTimeout = env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || env.OTEL_EXPORTER_OTLP_TIMEOUT;
  const exporter = new OTLPTraceExporter(hasTimeout ? {} : { timeoutMillis: SEND_TIMEOUT_MS });
  const batches = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: numberFromEnv('OTEL_BSP_SCHEDULE_DELAY', 5000),
    exportTimeoutMillis: numberFromEnv('OTEL_BSP_EXPORT_TIMEOUT', hasTimeout ? 30_000 : SEND_TIMEOUT_MS),
    maxQueueSize: numberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    maxExportBatchSize: numberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'portico', 'service.version': version }))
      .merge(resourceFromAttributes(envDetector.detect().attributes ?? {})),
    sampler: createSampler(env.OTEL_TRACES_SAMPLER || 'parentbased_traceidratio'),
    spanProcessors: [batches],
  });
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const onLost = (error: unknown) => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = performance.now();
    const { code, message } = error as NodeJS.ErrnoException;
    logger.warn({ reason: String(code ?? message) }, 'traces were dropped');
  };
  // The SDK reports lost spans as an object in JSON, with the properties of their error.
  const losses = { ...diagnostics, error: (message: string) => onLost(parse(message) ?? { message }) };
  diag.setLogger(losses, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  return {
    tracer: provider.getTracer('portico', version),
    /** Sends the remaining spans, in one attempt at most. Never rejects. */
    close: () => provider.shutdown().catch(onLost),
  };
}

function createSampler(name: string): Sampler {
  if (name.startsWith('parentbased_'))
    return new ParentBasedSampler({ root: createSampler(name.slice('parentbased_'.length)) });
  if (name === 'always_on') return new AlwaysOnSampler();
  if (name === 'always_off') return new AlwaysOffSampler();
  return new TraceIdRatioBasedSampler(numberFromEnv('OTEL_TRACES_SAMPLER_ARG', 1, 1));
}

/** The number of a variable, from 0 to `most`. */
function numberFromEnv(name: string, otherwise: number, most = Number.POSITIVE_INFINITY): number {
  const value = Number(readEnv()[name] || otherwise);
  if (value >= 0 && value <= most) return value;
  diag.warn(`${name} is ignored: it must be a number from 0 to ${most}`);
  return otherwise;
}
