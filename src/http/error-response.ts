import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, overloaded, overloadWaitSeconds } from '../errors.ts';
import type { OnRejected } from '../telemetry/logs/rejections.ts';
import { constantFields } from './header-fields.ts';
import { newRequestId } from './request-id.ts';
import type { GatewayResponse } from './server/gateway-response.ts';
import { closeAfter } from './server/node-internals.ts';

/** The response to a request that is rejected: its message holds nothing of the request. */
export interface ErrorResponse {
  status: number;
  message: string;
  code?: ErrorCode;
  fields?: Record<string, string>;
}

export const serviceOverloaded: ErrorResponse = {
  status: 503,
  message: overloaded().message,
  code: 'OVERLOADED',
  fields: { 'retry-after': String(overloadWaitSeconds) },
};

export const methodNotAllowed: ErrorResponse = {
  status: 405,
  message: 'Use POST or GET.',
  fields: { allow: 'GET, POST' },
};

/** After these the start of the next request is unknown, so that the connection is closed. */
const closingStatuses = new Set([400, 408]);

/** Sends an error in the format of a GraphQL response. */
export function sendError(res: GatewayResponse, error: ErrorResponse): void {
  const { text, fields } = serialize(error);
  if (closingStatuses.has(error.status)) closeAfter(res);
  res.writeHead(error.status, fields);
  res.end(text);
  res.onRejected?.({ status: error.status, requestId: res.requestId, message: error.message });
}

/** The same for input that is no request: writes to the socket and ends it. */
export function sendRawError(socket: Duplex, error: ErrorResponse, onRejected: OnRejected): void {
  const requestId = newRequestId();
  const { text, fields } = serialize(error);
  const all = {
    ...constantFields,
    'x-request-id': requestId,
    ...fields,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', text].join('\r\n'));
  onRejected({ status: error.status, requestId, message: error.message });
}

function serialize({ message, code = 'BAD_REQUEST', fields }: ErrorResponse) {
  const text = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  return {
    text,
    fields: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      ...fields,
    },
  };
}
