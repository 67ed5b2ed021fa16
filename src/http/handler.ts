import type { IncomingMessage } from 'node:http';
import type { RequestObserver } from '../operation/types.ts';
import { apiKeyOf } from '../rest/caller.ts';
import { badRequest, internalError, overloaded } from '../schema/errors.ts';
import { askLanes, type LaneOptions } from './lanes.ts';
import { createOperationPlaces } from './operation-places.ts';
import { apiKeyFrom, isHost } from './request.ts';
import { type GatewayResponse, sendError } from './response.ts';
import type { Listener } from './server.ts';

/** True if it has responded, a promise if it will; undefined leaves the request to the next route. */
export type Route = (req: IncomingMessage, res: GatewayResponse) => Promise<void> | true | undefined;

interface HandlerOptions extends Omit<LaneOptions, 'places' | 'onFault'> {
  maxConcurrentOperations: number;
  /** Asked in their order, before the GraphQL endpoint. */
  routes: readonly Route[];
  observe?: ((req: IncomingMessage, res: GatewayResponse) => RequestObserver) | undefined;
  isReady?(): boolean;
  /** Called with the error behind a 500. */
  onFault(fault: unknown): void;
}

const invalidHost = badRequest('The Host header is not a valid host name.', 400);
const notFound = badRequest('Not found. The GraphQL endpoint is /graphql.', 404);
const methodNotAllowed = badRequest('Use POST or GET.', 405, { allow: 'GET, POST' });
const overload = overloaded();
const isEndpoint = /^\/graphql(\?|$)/;

/** Handles the well-formed requests of a server: probes, routes and operations; any other request gets an error. */
export function createHandler(given: HandlerOptions) {
  const { routes, observe, isReady = () => true } = given;
  const places = createOperationPlaces(given.maxConcurrentOperations);
  const onFault = (fault: unknown, res: GatewayResponse): void => {
    given.onFault(fault);
    if (res.headersSent) res.destroy();
    else sendError(res, internalError());
  };
  const options = { ...given, places, onFault };

  function handle(req: IncomingMessage, res: GatewayResponse) {
    if (req.url === '/livez') return sendProbe(res, true);
    if (req.url === '/readyz') return sendProbe(res, isReady());
    if (!isHost(req.headers.host ?? '')) return sendError(res, invalidHost);
    for (const route of routes) {
      const response = route(req, res);
      if (response === undefined) continue;
      if (response !== true) response.catch((fault: unknown) => onFault(fault, res));
      return;
    }
    if (!isEndpoint.test(req.url ?? '')) return sendError(res, notFound);
    if (req.method !== 'GET' && req.method !== 'POST') return sendError(res, methodNotAllowed);
    // From here on the observer reports the request, if there is one.
    res.onRejected = undefined;
    const observer = observe?.(req, res);
    // Before the body is read, so that a rejection costs next to nothing.
    const key = apiKeyOf(apiKeyFrom(req.headers['x-api-key']) ?? '');
    if (places.isFull(key)) return sendError(res, overload);
    askLanes(options, req, res, key, observer);
  }

  const listener: Listener = (req, res) => {
    try {
      handle(req, res);
    } catch (fault) {
      onFault(fault, res);
    }
  };
  return { listener, gauge: places.gauge };
}

/** `/livez` is 200 while the process runs, `/readyz` until it begins to drain. A probe takes no place. */
function sendProbe(res: GatewayResponse, isOk: boolean) {
  const text = isOk ? 'ok\n' : 'draining\n';
  const fields = { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length };
  res.writeHead(isOk ? 200 : 503, fields).end(text);
}
