import { readEnv } from '../../config/settings.ts';
import type { StartObserver } from '../../observers/observer.ts';

export { tracesConfig, tracesSettings, tracesWarnings } from './settings.ts';

/** The header fields by which a client continues its trace. */
export const traceFields = ['traceparent', 'tracestate'];

interface TracesConfig {
  upstream: { url: URL | null };
  telemetry: { traces: { endpoint: URL | null | undefined; propagates: boolean } };
}

/** Traces for a collector of OpenTelemetry. Its libraries, which read its address, are imported only with one. */
export const startTraces: StartObserver<TracesConfig> = async ({ upstream, telemetry }, logger) => {
  const env = readEnv();
  const isOff = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  const { endpoint, propagates } = telemetry.traces;
  if (isOff || !(endpoint || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim())) return undefined;
  const { createTracing } = await import('./traces.ts');
  return createTracing({ propagates, upstreamUrl: upstream.url }, logger);
};
