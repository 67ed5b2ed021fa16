import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpHttpHandler,
  type McpServerFactory,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { GraphQLError } from 'graphql';
import type { CoreConfig } from '../../config/core.ts';
import { bodyFrom } from '../../http/request.ts';
import { type ErrorResponse, type GatewayResponse, internalError, sendError } from '../../http/response.ts';
import { createServer } from '../../http/server.ts';
import { readMessage } from './messages.ts';

const notFound: ErrorResponse = { status: 404, message: 'Not found. The endpoint is /mcp.' };
const methodNotAllowed: ErrorResponse = { status: 405, message: 'Use POST.', fields: { allow: 'POST' } };

/**
 * Serves on a port of the loopback interface, with the listener of the gateway and its limits. Rejects where
 * the port is not available. A request from a web page, or for another host than this machine, gets 403: a
 * page could otherwise reach the port by DNS rebinding.
 */
export async function startHttp(
  mcp: McpServerFactory,
  port: number,
  { edge, maxBodyBytes }: Pick<CoreConfig, 'edge' | 'maxBodyBytes'>,
) {
  // The tools never change: no client has a reason to subscribe.
  const handler = createMcpHandler(mcp, { maxSubscriptions: 1 });
  const server = createServer({ host: '127.0.0.1', port, edge, maxBodyBytes });
  const origin = await server.start((req, res) => {
    if (req.url?.split('?', 1)[0] !== '/mcp') return sendError(res, notFound);
    if (req.method !== 'POST') return sendError(res, methodNotAllowed);
    respond(handler, req, res, maxBodyBytes).catch((fault: unknown) => {
      if (res.headersSent) res.destroy();
      else sendError(res, errorFrom(fault));
    });
  });
  return { url: `${origin}/mcp`, close: async () => void (await server.drain(0)) };
}

async function respond(
  { fetch }: McpHttpHandler,
  req: IncomingMessage,
  res: GatewayResponse,
  maxBodyBytes: number,
): Promise<void> {
  const request = requestFrom(req, res);
  const rejection =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, []);
  if (rejection) return send(rejection, res);
  const { message, error } = await bodyFrom(req, maxBodyBytes, readMessage);
  if (error) await send(Response.json(error, { status: 400 }), res);
  else await send(await fetch(request, { parsedBody: message }), res);
}

/** The head of a request as the SDK reads it. */
function requestFrom({ headers }: IncomingMessage, { disconnected }: GatewayResponse): Request {
  const abort = new AbortController();
  disconnected.addEventListener('abort', () => abort.abort());
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request('http://localhost/mcp', { method: 'POST', headers: fields, signal: abort.signal });
}

async function send({ status, headers, body }: Response, res: GatewayResponse): Promise<void> {
  res.writeHead(status, Object.fromEntries(headers)).flushHeaders();
  await pipeline(Readable.from(body ?? []), res);
}

/** The status of an error of the listener; any other fault is one of this program. */
function errorFrom(fault: unknown): ErrorResponse {
  if (!(fault instanceof GraphQLError)) return internalError;
  return { status: Number(fault.extensions.http?.status), message: fault.message };
}
