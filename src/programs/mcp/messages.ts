import { isUtf8 } from 'node:buffer';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { parse } from '../../upstream/json.ts';

/** An error of JSON-RPC 2.0 (5.1); the id is null where the request has none that can be read. */
export interface ErrorMessage {
  jsonrpc: '2.0';
  id: RequestId | null;
  error: { code: number; message: string };
}

/**
 * Reads one message of JSON-RPC, or returns the error that is the response to anything else: also to a batch,
 * which the protocol has had until June 2025, and in which one request would make many calls.
 */
export function readMessage(
  bytes: Buffer,
): { message: JSONRPCMessage; error?: undefined } | { message?: undefined; error: ErrorMessage } {
  const json = isUtf8(bytes) ? parse(bytes.toString('utf8')) : undefined;
  if (json === undefined)
    return { error: errorMessage(ProtocolErrorCode.ParseError, 'A message must be JSON, in UTF-8.') };
  if (Array.isArray(json)) return { error: invalidRequest('Send each message by itself, not in a batch.') };
  if (isJSONRPCRequest(json) || isJSONRPCNotification(json) || isJSONRPCResponse(json))
    return { message: json };
  return { error: invalidRequest('A message must be of JSON-RPC 2.0; an id is a text or an integer.', json) };
}

/** The error for a request that is not handled. */
export function invalidRequest(message: string, request?: unknown): ErrorMessage {
  const { id } = Object(request);
  const isId = typeof id === 'string' || typeof id === 'number';
  return errorMessage(ProtocolErrorCode.InvalidRequest, message, isId ? id : null);
}

function errorMessage(code: number, message: string, id: RequestId | null = null): ErrorMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
