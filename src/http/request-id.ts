import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { revealsSecret } from '../telemetry/secrets.ts';

/** No character that could end a line, a field or a quoted string. */
const validId = /^[\w.:/+=@-]{1,128}$/;

const prefix = randomBytes(6).toString('hex');
let count = 0;

/** The id of a request: its `x-request-id` where that is valid and reveals nothing of its key, else a new one. */
export function requestIdFrom({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  if (sent !== undefined && isUsable(sent, headers['x-api-key'])) return sent;
  return newRequestId();
}

/** A unique id. */
export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count}`;
}

function isUsable(sent: string | string[], key: string | string[] = ''): sent is string {
  return typeof sent === 'string' && validId.test(sent) && !revealsSecret(sent, String(key));
}
