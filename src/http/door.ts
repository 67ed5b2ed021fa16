import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorCode } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import { apiKeyFrom, departureOf } from './caller.ts';
import type { Graphiql } from './graphiql.ts';

export interface DoorOptions {
  /** Makes what one operation may load with, for one caller. */
  openLoaders(apiKey: string, signal: AbortSignal): Loaders;
  /** Answers requests to the GraphQL endpoint. */
  pipeline(
    req: IncomingMessage,
    res: ServerResponse,
    context: { loaders: Loaders | undefined },
  ): Promise<void> | void;
  graphiql: Graphiql | undefined;
  /** Hears what a 500 does not say. */
  onFault(fault: unknown): void;
}

/** The front door: what every request passes before anything is read of its body. */
export function createDoor(options: DoorOptions): RequestListener {
  return (req, res) => {
    answer(options, req, res).catch((fault: unknown) => {
      options.onFault(fault);
      if (res.headersSent) res.destroy();
      else refuse(res, 500, 'Unexpected error.', 'INTERNAL_SERVER_ERROR');
    });
  };
}

async function answer(
  { openLoaders, pipeline, graphiql }: DoorOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('x-content-type-options', 'nosniff');
  if (!isHost(req.headers.host)) return refuse(res, 400, 'The Host header is not a host name.');
  if (await graphiql?.handle(req, res)) return;
  if (req.url?.split('?', 1)[0] !== '/graphql') return refuse(res, 404, 'The API is at /graphql.');
  if (req.method !== 'GET' && req.method !== 'POST') {
    res.setHeader('allow', 'GET, POST');
    return refuse(res, 405, 'Use POST or GET.');
  }
  const apiKey = apiKeyFrom(req);
  const loaders = apiKey === undefined ? undefined : openLoaders(apiKey, departureOf(req, res));
  await pipeline(req, res, { loaders });
}

/** `uri-host [ ":" port ]` (RFC 9110, 7.2): the server behind this door builds a URL of it. */
function isHost(host: string | undefined): boolean {
  return (
    host !== undefined &&
    /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host) &&
    URL.canParse(`http://${host}`)
  );
}

function refuse(res: ServerResponse, status: number, message: string, code: ErrorCode = 'BAD_REQUEST'): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}
