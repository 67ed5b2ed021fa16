import type { StartObserver } from '../../observers/observer.ts';
import { droppedLines } from './destination.ts';
import { createLogger, flushLogger, startLogger } from './log.ts';
import {
  createDeprecationLog,
  createDocumentLog,
  createRejectionLog,
  isExecuted,
  logFailure,
  logFault,
  logOperation,
} from './log-lines.ts';

export { logsConfig, logsSettings } from './settings.ts';

interface LogsConfig {
  telemetry: { logLevel: Parameters<typeof startLogger>[0] };
}

/**
 * Logs on standard error: a line for each report of the gateway, and at the level `info` one for each request.
 */
export const startLogs: StartObserver<LogsConfig> = async ({ telemetry: { logLevel } }, _, output) => {
  const logger = output ? createLogger(logLevel, output) : await startLogger(logLevel);
  const logDocument = createDocumentLog(logger);
  return {
    logger,
    close: () => flushLogger(logger),
    gauges: [droppedLines],
    onRejected: createRejectionLog(logger),
    onFailure: (call, failure) => logFailure(logger, call, failure),
    onFault: (fault, secrets) => logFault(logger, fault, secrets),
    onDrift: (field) => logger.warn(`a REST API response differs from the contract at ${field}`),
    onDeprecation: createDeprecationLog(logger),
    ...(logger.isLevelEnabled('info') && {
      onFinished(operation, readFields) {
        logOperation(logger, operation);
        if (readFields && isExecuted(operation)) logDocument(operation, readFields);
      },
      onStream: logDocument,
    }),
  };
};
