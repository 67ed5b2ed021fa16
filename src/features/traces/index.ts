import type { StartObserver } from '../../observers/observer.ts';

/**
 * Traces for a collector of OpenTelemetry. Absent without an endpoint; its libraries are imported only where
 * there is one.
 */
export const startTraces: StartObserver = async ({ telemetry: { traces } }, logger) => {
  if (!traces) return undefined;
  const { createTracing } = await import('./traces.ts');
  return createTracing(traces, logger);
};
