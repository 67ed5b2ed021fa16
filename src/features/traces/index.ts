import type { StartObserver } from '../../observers/observer.ts';
import type { TracingOptions } from './traces.ts';

export { tracesConfig, tracesContradictions, tracesSettings } from './settings.ts';

/** The header fields by which a client continues its trace. */
export const traceFields = ['traceparent', 'tracestate'];

interface TracesConfig {
  /** Null: no traces. */
  telemetry: { traces: TracingOptions | null };
}

/**
 * Traces for a collector of OpenTelemetry. Absent without an endpoint; its libraries are imported only where
 * there is one.
 */
export const startTraces: StartObserver<TracesConfig> = async ({ telemetry: { traces } }, logger) => {
  if (!traces) return undefined;
  const { createTracing } = await import('./traces.ts');
  return createTracing(traces, logger);
};
