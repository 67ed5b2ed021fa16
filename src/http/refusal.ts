import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, overloaded, overloadWaitSeconds } from '../errors.ts';
import type { Rejection } from '../telemetry/rejections.ts';
import type { Answer } from './connection.ts';
import { constantFields } from './fields.ts';
import { newRequestId } from './request-id.ts';

/** A request that goes no further: an HTTP status, words that hold nothing of the request, header fields. */
export interface Refusal {
  status: number;
  message: string;
  code?: ErrorCode;
  fields?: Record<string, string>;
}

export const tooBusy: Refusal = {
  status: 503,
  message: overloaded().message,
  code: 'OVERLOADED',
  fields: { 'retry-after': String(overloadWaitSeconds) },
};

export const methodRefused: Refusal = {
  status: 405,
  message: 'Use POST or GET.',
  fields: { allow: 'GET, POST' },
};

/** Is called for each request that is refused before it reaches the GraphQL endpoint. */
export type OnRejected = (rejection: Rejection) => void;

/** Where the bytes of a request cannot be told from those of the next one, nothing after it is heard. */
const lastWords = new Set([400, 408]);

/** Answers a request with an error, in the form of every other answer. */
export function refuse(res: Answer, refusal: Refusal): void {
  const { text, fields } = written(refusal);
  if (lastWords.has(refusal.status)) res.shouldKeepAlive = false;
  res.writeHead(refusal.status, fields);
  res.end(text);
  res.onRejected?.({ status: refusal.status, requestId: res.requestId, message: refusal.message });
}

/** The same where no request came of what was sent: writes to the socket and ends it. */
export function refuseRaw(socket: Duplex, refusal: Refusal, onRejected: OnRejected): void {
  const requestId = newRequestId();
  const { text, fields } = written(refusal);
  const all = {
    ...constantFields,
    'x-request-id': requestId,
    ...fields,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines, '', text].join('\r\n'));
  onRejected({ status: refusal.status, requestId, message: refusal.message });
}

function written({ message, code = 'BAD_REQUEST', fields }: Refusal) {
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
