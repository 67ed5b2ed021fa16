import { createClient, type RequestParams } from 'graphql-sse';
import { stringifyDocument, type TypedDocumentNode } from 'urql';
import { idIn } from '../client.ts';
import { type Problem, problemsFrom, type RequestError } from '../problems.ts';
import { createHeartbeatReader, type Heartbeat } from './heartbeats.ts';

/** The whole present state. */
export interface LiveEvent<Data> {
  data?: Data | null;
  errors?: RequestError['graphQLErrors'];
  extensions?: Record<string, unknown>;
}

export interface LiveSink<Data> {
  onEvent(event: LiveEvent<Data>): void;
  onHeartbeat(heartbeat: Heartbeat): void;
  /** The connection was lost or rejected, and is made again at `retryAt`, in milliseconds since 1970. */
  onLost(problems: Problem[], retryAt: number): void;
  /** Nothing more comes: without problems the stream is complete, else it was rejected. */
  onEnd(problems: Problem[]): void;
}

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** The gateway sends a heartbeat every 12 seconds. */
const MAX_SILENCE_MS = 40_000;

/** By its second media type a rejection is a response with a status, and no stream. */
const accept = 'text/event-stream, application/graphql-response+json';

/**
 * Reads a live query until the returned function is called. Connects again after a lost connection, and if waiting can
 * help. Not by urql, which keeps the errors and the extensions of a stream's earlier events.
 */
export function openLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  sink: LiveSink<Data>,
): () => void {
  let rejection: Response | undefined;
  let problems: Problem[] = [];
  let isOver = false;
  const client = createClient({
    url: '/graphql',
    retryAttempts: Number.POSITIVE_INFINITY,
    async fetchFn(input: string, init: RequestInit) {
      rejection = undefined;
      const response = await fetch(input, { ...init, headers: { ...init.headers, accept } });
      if (response.ok) return watched(response, sink);
      rejection = response;
      return response;
    },
    async retry(failures) {
      problems = await problemsIn(rejection);
      // Ends the stream.
      if (problems.some(({ retry }) => retry === 'never')) throw new Error('The gateway rejects it.');
      // At random, so that many pages do not connect at the same moment.
      const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS) * (1 + Math.random());
      const waitMs = Math.max(backoffMs, ...problems.map(({ retryAfter = 0 }) => retryAfter * 1000));
      if (isOver) return;
      sink.onLost(problems, Date.now() + waitMs);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    },
  });
  const close = client.subscribe<Data>(requestOf(document, variables), {
    next: (event) => sink.onEvent(event as LiveEvent<Data>),
    error: () => !isOver && sink.onEnd(problems),
    complete: () => !isOver && sink.onEnd([]),
  });
  return () => {
    isOver = true;
    close();
  };
}

/** Notes the heartbeats of a stream, and fails it if they cease: a browser may not notice that a connection is dead. */
function watched(response: Response, sink: LiveSink<never>): Response {
  const read = createHeartbeatReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (controller: TransformStreamDefaultController) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.error(new Error('The gateway is silent.')), MAX_SILENCE_MS);
  };
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    start: wait,
    transform(chunk, controller) {
      const heartbeat = read(chunk);
      if (heartbeat) sink.onHeartbeat(heartbeat);
      wait(controller);
      controller.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
  return new Response(response.body?.pipeThrough(watch) ?? null, response);
}

function requestOf(document: TypedDocumentNode<unknown, never>, variables: object): RequestParams {
  const extensions = idIn(document);
  const by = extensions.persistedQuery ? { extensions } : { query: stringifyDocument(document) };
  // The type of graphql-sse demands a text.
  return { ...by, variables } as RequestParams;
}

/** Why the gateway, the backend or the network has ended a stream. */
async function problemsIn(response: Response | undefined): Promise<Problem[]> {
  const { errors } = await (response?.json() ?? Promise.resolve({})).catch(() => ({}));
  return problemsFrom(
    Array.isArray(errors)
      ? { graphQLErrors: errors, response }
      : { networkError: new Error('The connection was lost.'), graphQLErrors: [] },
  );
}
