import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Signal } from '../abort.ts';
import { overloaded } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import type { Admission } from './admission.ts';
import { apiKeyFrom } from './caller.ts';
import type { Answer } from './connection.ts';
import { answerPreflight, isListed, isPreflight } from './cors.ts';
import type { Graphiql } from './graphiql.ts';
import { type Params, paramsFrom } from './params.ts';
import { methodRefused, type Refusal, refuse, tooBusy } from './refusal.ts';
import type { Listener } from './server.ts';
import { isHost } from './target.ts';

/** What is known of a request before anything is read of its body. */
interface RequestContext {
  loaders: Loaders | undefined;
  readParams(): Promise<Params>;
  watch: Watch | undefined;
}

/** Who notes what becomes of one request. */
export interface Watch {
  params: Params | undefined;
  /** What is wrong with the answer or a part of it, and whether that holds data all the same. */
  note(codes: readonly string[], hasData: boolean): void;
}

/** What happens to what is asked at the GraphQL endpoint. */
interface Pipeline {
  /** Answers a request, whatever it asks. */
  answer(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> | void;
  /** The same for common requests, with less effort. */
  fastPath?: FastPath | undefined;
}

interface FastPath {
  /** The media type of the answer to a POST; undefined where that cannot be had here. */
  typeOf(headers: IncomingHttpHeaders): string | undefined;
  /** The answer; undefined, or rejected, where that cannot be had here. */
  execute(params: Params, loaders: Loaders): Promise<string | undefined> | undefined;
}

export interface DoorOptions<W extends Watch> {
  /** Makes what one operation may load with, for one caller. */
  openLoaders(apiKey: string, departure: Signal, request: Answer, watch: W | undefined): Loaders;
  /** Begins to watch a request to the endpoint; absent: nobody wants to know. */
  watch?: ((req: IncomingMessage, res: Answer) => W) | undefined;
  pipeline: Pipeline;
  /** How large the body of a request may be. */
  maxBodyBytes: number;
  admission: Admission;
  graphiql: Graphiql | undefined;
  /** Called with the origin of each preflight that is refused. */
  onRefusedOrigin?: (origin: string) => void;
  /** Hears what a 500 does not say. */
  onFault(fault: unknown): void;
}

const hostRefused: Refusal = { status: 400, message: 'The Host header is not a valid host name.' };
const pathRefused: Refusal = { status: 404, message: 'Not found. The GraphQL endpoint is /graphql.' };
const unexpected: Refusal = { status: 500, message: 'Unexpected error.', code: 'INTERNAL_SERVER_ERROR' };

/** The front door: what every request passes before anything is read of its body. */
export function createDoor<W extends Watch>(options: DoorOptions<W>): Listener {
  return (req, res) => {
    answer(options, req, res).catch((fault: unknown) => {
      options.onFault(fault);
      if (res.headersSent) res.destroy();
      else refuse(res, unexpected);
    });
  };
}

async function answer<W extends Watch>(
  { openLoaders, watch: begin, pipeline, maxBodyBytes, admission, graphiql, onRefusedOrigin }: DoorOptions<W>,
  req: IncomingMessage,
  res: Answer,
): Promise<void> {
  if (!isHost(req.headers.host)) return refuse(res, hostRefused);
  const page = graphiql?.handle(req, res);
  if (page) return page;
  if (req.url?.split('?', 1)[0] !== '/graphql') return refuse(res, pathRefused);
  if (isPreflight(req)) {
    if (isListed(res)) return answerPreflight(res);
    onRefusedOrigin?.(String(req.headers.origin));
  }
  if (req.method !== 'GET' && req.method !== 'POST') return refuse(res, methodRefused);
  // From here on the observer reports the request, if there is one.
  res.onRejected = undefined;
  const watch = begin?.(req, res);
  // Before its body is read, so that it costs next to nothing.
  if (admission.isFull) return refuse(res, tooBusy);
  const apiKey = apiKeyFrom(req);
  const { departure } = res;
  const loaders = apiKey === undefined ? undefined : openLoaders(apiKey, departure, res, watch);
  let leave: (() => void) | undefined;
  const enter = (params: Params) => {
    if (watch) watch.params = params;
    // Not before, and not until the answer is read: who sends or reads slowly is not to hold a place.
    leave = admission.enter(departure);
    if (!leave) throw overloaded();
    return params;
  };
  // Whoever comes second reads what the first one read.
  let reading: Promise<Params> | undefined;
  const readParams = () => (reading ??= paramsFrom(req, maxBodyBytes).then(enter));
  const context = { loaders, readParams, watch };
  const isAnswered = pipeline.fastPath && (await answerBriefly(pipeline.fastPath, req, res, context));
  if (!isAnswered) await pipeline.answer(req, res, context);
  leave?.();
}

/** Answers a common request, as the pipeline would; false, and nothing done, where it is none. */
async function answerBriefly(
  fastPath: FastPath,
  { method, headers }: IncomingMessage,
  res: Answer,
  { loaders, readParams }: RequestContext,
): Promise<boolean> {
  const type = method === 'POST' ? fastPath.typeOf(headers) : undefined;
  if (type === undefined || !loaders) return false;
  let body: string | undefined;
  try {
    body = await fastPath.execute(await readParams(), loaders);
  } catch {
    // What cannot be read, or fails, is for the whole way to refuse.
  }
  if (body === undefined) return false;
  res.writeWhole(`${type}; charset=utf-8`, body);
  return true;
}
