import type { Tracing, TracingOptions } from './tracing.ts';

/** Imports OpenTelemetry, which is large, only where traces are on. Sends nothing yet. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracing } = await import('./opentelemetry.ts');
  return createTracing(options);
}
