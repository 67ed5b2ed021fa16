import type { Observer, StartObserver } from '../../observers/observer.ts';
import { droppedLines } from './destination.ts';
import { createDocumentLog, isExecuted } from './document-log.ts';
import { flushLogger, type LineLogger, startLogger } from './log.ts';
import { createDeprecationLog, createRejectionLog, logFailure, logFault, logOperation } from './log-lines.ts';

/** Logs on standard error: a line for each request, and for each report of the gateway. */
export const startLogs: StartObserver = async ({ telemetry: { logLevel } }) => {
  const logger = await startLogger(logLevel);
  return { ...createLogs(logger), close: () => flushLogger(logger) };
};

/** The lines of a gateway, by this logger. Requests have theirs at the level `info`. */
export function createLogs(logger: LineLogger): Observer {
  return {
    logger,
    gauges: [droppedLines],
    onRejected: createRejectionLog(logger),
    onFailure: (call, failure) => logFailure(logger, call, failure),
    onFault: (fault, secrets) => logFault(logger, fault, secrets),
    onDrift: (field) => logger.warn(`a REST API response differs from the contract at ${field}`),
    onDeprecation: createDeprecationLog(logger),
    ...(logger.isLevelEnabled('info') && createRequestLog(logger)),
  };
}

function createRequestLog(logger: LineLogger): Pick<Observer, 'onFinished' | 'onStream'> {
  const logDocument = createDocumentLog(logger);
  return {
    onFinished(operation, document) {
      logOperation(logger, operation);
      if (document && isExecuted(operation)) logDocument(operation, () => document.fields());
    },
    onStream: (operation, document) => logDocument(operation, () => document.fields()),
  };
}
