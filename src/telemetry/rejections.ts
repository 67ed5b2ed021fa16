import type { Logger } from './logger.ts';

/** A request that is refused before it reaches the GraphQL endpoint, or a connection that is closed without a response. */
export interface Rejection {
  /** Of the response; null where there is none. */
  status: number | null;
  /** As the response has it; null where there is none. */
  requestId: string | null;
  /** Holds nothing of the request. */
  message: string;
}

/** How many lines a window may have, so that a flood of such requests does not fill the log. */
const maxLines = 10;
const windowMs = 1000;

/** Logs rejections: at most ten a second, and at the end of the second how many others there were. */
export function createRejectionLog(logger: Logger): (rejection: Rejection) => void {
  let lines = 0;
  let suppressed = 0;
  let hasWindow = false;

  function endWindow(): void {
    if (suppressed > 0) logger.info({ event: 'rejection', suppressed }, 'further requests rejected');
    hasWindow = false;
    lines = suppressed = 0;
  }

  return ({ status, requestId, message }) => {
    // A client can bring about what has a status at any time. The others are for the operator to know.
    const level = status === null ? 'warn' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    if (!hasWindow) setTimeout(endWindow, windowMs).unref();
    hasWindow = true;
    if (lines >= maxLines) suppressed += 1;
    else {
      lines += 1;
      logger[level]({ event: 'rejection', requestId, status, reason: message }, 'request rejected');
    }
  };
}
