import type { Server } from 'node:http';
import { type ProblemKind, responseFromProblem } from './problems.ts';
import { sendToSocket } from './response.ts';

const kinds: Record<string, ProblemKind> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Sends a problem too where Node would reject, ignore or truncate the input and emit no request. */
export function handleProtocolErrors(server: Server, commonHeaders: readonly string[]): void {
  // Beyond this count Node drops header fields, and a second key with them. The size limit still holds.
  server.maxHeadersCount = 0;
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('clientError', (error, socket) => {
    const kind = kinds['code' in error ? String(error.code) : ''] ?? 'malformed-request';
    if (socket.writable) sendToSocket(socket, responseFromProblem(kind), commonHeaders);
  });
  server.on('connect', (_, socket) => {
    // Node no longer tracks this socket: without `destroy`, close() would wait for the client to end it.
    socket.on('error', () => {}).once('finish', () => socket.destroy());
    sendToSocket(socket, responseFromProblem('method-not-allowed'), commonHeaders);
  });
}
