/** The admin port: metrics and probes. */
export { metricsConfig, metricsSettings } from './settings.ts';
