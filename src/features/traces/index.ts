import { readEnv } from '../../config/settings.ts';
import type { StartObserver } from '../../observers/observer.ts';
import { ignoredBy } from './settings.ts';

export { tracesConfig, tracesSettings } from './settings.ts';

/** The header fields by which a client continues its trace. */
export const traceFields = ['traceparent', 'tracestate'];

interface TracesConfig {
  upstream: { url: URL | null };
  telemetry: { traces: { endpoint: URL | null | undefined; propagates: boolean } };
}

/**
 * Traces for a collector of OpenTelemetry. Absent without an endpoint; its libraries are imported only where
 * there is one.
 */
export const startTraces: StartObserver<TracesConfig> = async ({ upstream, telemetry }, logger) => {
  const env = readEnv();
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none')
    return undefined;
  const { endpoint, propagates } = telemetry.traces;
  const hasOwn = Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim());
  const ignored = ignoredBy(env, Boolean(endpoint) || hasOwn);
  if (ignored) logger.warn(ignored);
  if (!endpoint && !hasOwn) return undefined;
  const { createTracing } = await import('./traces.ts');
  // The SDK reads the address of the traces itself.
  const url = hasOwn ? undefined : endpoint?.href.replace(/\/?$/, '/v1/traces');
  return createTracing({ url, propagates, upstreamUrl: upstream.url }, logger);
};
