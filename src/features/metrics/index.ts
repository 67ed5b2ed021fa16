import { portFault } from '../../http/port.ts';
import type { StartObserver } from '../../observers/observer.ts';
import { startAdmin } from './admin.ts';

export { metricsConfig, metricsSettings } from './settings.ts';

interface MetricsConfig {
  /** Null: no metrics. */
  telemetry: { admin: { host: string; port: number } | null };
}

/**
 * Metrics for Prometheus, on a port of their own with the probes `/livez` and `/readyz`. Absent without
 * ADMIN_PORT; its library is imported only if there is one.
 */
export const startMetrics: StartObserver<MetricsConfig> = async ({ telemetry: { admin } }, logger) => {
  if (!admin) return undefined;
  const { createMetrics } = await import('./metrics.ts');
  const { registry, start, ...observer } = createMetrics();
  const onFault = (fault: unknown) => logger.error({ fault: String(fault) }, 'the metrics are not available');
  let port: Awaited<ReturnType<typeof startAdmin>> | undefined;
  return {
    ...observer,
    async open({ gauges, errorCodes, readiness }) {
      start(gauges, errorCodes);
      port = await startAdmin({ ...admin, registry, ready: readiness, onFault }).catch((error: unknown) => {
        throw new Error(portFault(error, admin, 'ADMIN_'), { cause: error });
      });
      logger.info({ url: `${port.url}/metrics` }, 'metrics');
    },
    close: async () => port?.close(),
  };
};
