import type { Observer, StartObserver } from '../../observers/observer.ts';
import { droppedLines, flushLogger, type LineLogger, startLogger } from './log.ts';
import * as lines from './log-lines.ts';
import type { logsConfig } from './settings.ts';

export { logsConfig, logsSettings } from './settings.ts';

type LogsConfig = { telemetry: ReturnType<typeof logsConfig> };

/** Logs on standard error: a line for each report of the gateway, and at the level `info` one for each request. */
export const startLogs: StartObserver<LogsConfig> = async ({ telemetry }) =>
  logsTo(startLogger(telemetry.logLevel));

export function logsTo(logger: LineLogger): Observer {
  const logDocument = lines.createDocumentLog(logger);
  return {
    logger,
    close: () => flushLogger(logger),
    gauges: [droppedLines],
    onRejected: lines.createRejectionLog(logger),
    onFailure: lines.createFailureLog(logger),
    onFault: lines.createFaultLog(logger),
    onDrift: (field) => logger.warn(`a REST API response differs from the contract at ${field}`),
    ...(logger.isLevelEnabled('info') && {
      onFinished(operation, readFields) {
        lines.logOperation(logger, operation);
        const hasData = operation.outcome === 'ok' || operation.outcome === 'partial';
        if (readFields && hasData && !operation.isPlan) logDocument(operation, readFields);
      },
    }),
  };
}
