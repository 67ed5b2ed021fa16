import type { Logger } from './logger.ts';

/** A request that is refused before it reaches the GraphQL endpoint, or a connection that is closed without a response. */
export interface Rejection {
  /** HTTP status of the response; null where there is none. */
  status: number | null;
  /** The `x-request-id` of the response; null where there is none. */
  requestId: string | null;
  /** Holds nothing of the request. */
  message: string;
}

/** Called for each request that is rejected before it reaches the GraphQL endpoint. */
export type OnRejected = (rejection: Rejection) => void;

/** Lines per window, so that a flood of such requests does not fill the log. */
const maxLines = 10;
const windowMs = 1000;

/** Logs rejections: at most ten per second, and at the end of the second the number of suppressed ones. */
export function createRejectionLog(logger: Logger): OnRejected {
  let lines = 0;
  let suppressed = 0;
  let hasWindow = false;

  function endWindow(): void {
    if (suppressed > 0) logger.info({ event: 'rejection', suppressed }, 'further requests rejected');
    hasWindow = false;
    lines = suppressed = 0;
  }

  return ({ status, requestId, message }) => {
    // Clients cause rejections with a status at will; a closed connection needs the attention of the operator.
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
