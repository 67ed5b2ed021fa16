import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { tellsOf } from '../telemetry/secrets.ts';

/** Nothing that could end a line, a field or a text in quotes, wherever the id is written. */
const sane = /^[\w.:/+=@-]{1,128}$/;

const ours = randomBytes(6).toString('hex');
let given = 0;

/**
 * What names a request in the logs of all it passes: the caller's own `x-request-id` where that is sane and tells nothing
 * of his key, else one that no other request has.
 */
export function requestIdFrom({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  if (sent !== undefined && isUsable(sent, headers['x-api-key'])) return sent;
  return newRequestId();
}

/** An id that no other request has. */
export function newRequestId(): string {
  given += 1;
  return `${ours}-${given}`;
}

function isUsable(sent: string | string[], key: string | string[] = ''): sent is string {
  return typeof sent === 'string' && sane.test(sent) && !tellsOf(sent, String(key));
}
