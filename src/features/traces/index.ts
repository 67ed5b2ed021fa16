/** Traces: a span for each operation, loader call and REST call. */
export { tracesConfig, tracesContradictions, tracesSettings } from './settings.ts';
