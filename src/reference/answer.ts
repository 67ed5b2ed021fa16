import { type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What goes back to a caller. Header fields are name and value in turn, in lower case. */
export interface Answer {
  status: number;
  type: string;
  body: string;
  fields?: readonly string[];
}

/** A 200 with this JSON text. */
export function answerFromJson(body: string): Answer {
  return { status: 200, type: 'application/json', body };
}

/**
 * Writes an answer in one piece, straight to Node: a Response and its streams cost more than reading a site does.
 * Node leaves out the body where the request is a HEAD, and its length still stands.
 */
export function sendAnswer(outgoing: ServerResponse, answer: Answer, fields: readonly string[]): void {
  outgoing.writeHead(answer.status, fieldsOf(answer, fields));
  outgoing.end(answer.body);
}

/** Writes an answer to a socket whose request never became one, and ends it. */
export function sendLastAnswer(socket: Duplex, answer: Answer, fields: readonly string[]): void {
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`];
  const all = fieldsOf(answer, [...fields, 'connection', 'close']);
  for (let n = 0; n < all.length; n += 2) lines.push(`${all[n]}: ${all[n + 1]}`);
  socket.end([...lines, '', answer.body].join('\r\n'));
}

function fieldsOf({ type, body, fields = [] }: Answer, more: readonly string[]): OutgoingHttpHeader[] {
  const length = String(Buffer.byteLength(body));
  const own = ['content-type', type, 'content-length', length, 'cache-control', 'no-store'];
  return [...own, ...fields, ...more];
}
