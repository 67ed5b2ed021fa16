import { createClient, NetworkError, type RequestParams } from 'graphql-sse';
import { stringifyDocument, type TypedDocumentNode } from 'urql';
import { idIn } from '../client.ts';
import { type Problem, problemsFrom, type RequestError } from '../problems.ts';
import { createHeartbeatReader } from './heartbeats.ts';
import { updateLive } from './live-store.ts';

type Errors = RequestError['graphQLErrors'];

/** The whole present state. */
interface LiveEvent<Data> {
  data?: Data | null;
  errors?: Errors;
  extensions?: Record<string, unknown>;
}

export interface LiveSink<Data> {
  onEvent(event: LiveEvent<Data>): void;
  /** The connection was lost. It is made again. */
  onLost(): void;
  /** In place of an event. With `retryAt`, in milliseconds since 1970, it is sent again then. */
  onRejected(problems: Problem[], retryAt: number | undefined): void;
  /** Nothing more comes. */
  onComplete(): void;
}

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** The gateway sends a heartbeat every 12 seconds. */
const MAX_SILENCE_MS = 40_000;

/**
 * Connections are made again below, which knows what a rejection means. Not urql's own: that keeps the errors and the extensions
 * of a stream's earlier events.
 */
const url = '/graphql';
const accept = 'text/event-stream, application/graphql-response+json';
const client = createClient({
  url,
  retryAttempts: 0,
  // By this media type a rejection is a response with a status, and no stream.
  fetchFn: async (input: string, init: RequestInit & { headers: Record<string, string> }) =>
    endingInSilence(await fetch(input, { ...init, headers: { ...init.headers, accept } })),
});

let currentAt: number | undefined;

/** Up to when the data of the page's stream was current, in milliseconds since 1970. */
export const lastCurrentAt = () => currentAt;

/** From so many intervals of a poll on, the call of the first one and that of the second have failed. */
const MISSED_FROM = 2;

/** Notes up to when the data was current: until now, unless a heartbeat says something else. */
function noteHeartbeats(): (chunk: Uint8Array) => void {
  const read = createHeartbeatReader();
  return (chunk) => {
    const heartbeat = read(chunk);
    currentAt = Date.now() - (heartbeat?.ageSeconds ?? 0) * 1000;
    if (!heartbeat) return;
    updateLive({
      checkedAt: currentAt,
      uncheckedSince: heartbeat.intervals < MISSED_FROM ? undefined : currentAt,
    });
  };
}

/** Fails the body of a response where its heartbeats cease: a browser may not notice that a connection is dead. */
function endingInSilence(response: Response): Response {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = noteHeartbeats();
  const wait = (controller: TransformStreamDefaultController) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.error(new Error('The gateway is silent.')), MAX_SILENCE_MS);
  };
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    start: wait,
    transform(chunk, controller) {
      note(chunk);
      wait(controller);
      controller.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
  return new Response(response.body?.pipeThrough(watch) ?? null, response);
}

/** Reads a live query until the returned function is called. Connects again after a lost connection, and where waiting can help. */
export function openLive<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  sink: LiveSink<Data>,
): () => void {
  currentAt = undefined;
  let failures = 0;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let close = () => {};

  function connect(): void {
    let isRejected = false;
    close = client.subscribe<Data>(requestOf(document, variables), {
      next(event) {
        if (isOver) return;
        const { data, errors } = event as LiveEvent<Data>;
        isRejected = !data;
        if (data) failures = 0;
        if (data) sink.onEvent(event as LiveEvent<Data>);
        else onRejection(errors ?? []);
      },
      error: (error) => void onError(error),
      complete() {
        if (!isOver && !isRejected) sink.onComplete();
      },
    });
  }

  async function onError(error: unknown): Promise<void> {
    const response = error instanceof NetworkError ? (error.response as Response | undefined) : undefined;
    const errors = response && (await errorsIn(response));
    if (isOver) return;
    if (errors) return onRejection(errors, response);
    connectAgain();
    sink.onLost();
  }

  /** A rejection is the response or, where the gateway has no more memory for a stream, its last event. */
  function onRejection(errors: Errors, response?: Response): void {
    const problems = problemsFrom({ graphQLErrors: errors, response });
    const isFinal = problems.some(({ retry }) => retry === 'never');
    sink.onRejected(problems, isFinal ? undefined : connectAgain(problems));
  }

  /** Waits longer after each failure, and at random, so that many pages do not connect at the same moment. */
  function connectAgain(problems: Problem[] = []): number {
    const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS) * (1 + Math.random());
    const waitMs = Math.max(backoffMs, ...problems.map(({ retryAfter = 0 }) => retryAfter * 1000));
    failures += 1;
    timer = setTimeout(connect, waitMs);
    return Date.now() + waitMs;
  }

  connect();
  return () => {
    isOver = true;
    clearTimeout(timer);
    close();
  };
}

/** What a live query costs, as `x-explain: plan` has it: the REST calls of all streams with its key and resources together. */
export interface LivePlan {
  everySeconds: number;
  atMostPerMinute: number;
}

/** Reads the plan of a live query, which makes no REST call. Undefined where the gateway sends none. */
export async function readPlan<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<LivePlan | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-explain': 'plan' },
    body: JSON.stringify(requestOf(document, variables)),
  });
  const { extensions } = await response.json();
  return extensions?.plan?.live;
}

function requestOf(document: TypedDocumentNode<unknown, never>, variables: object): RequestParams {
  const extensions = idIn(document);
  const by = extensions.persistedQuery ? { extensions } : { query: stringifyDocument(document) };
  // The type of graphql-sse demands a text.
  return { ...by, variables: { ...variables } } as RequestParams;
}

/** The errors of a response that is no stream; undefined where it is not the gateway's. */
async function errorsIn(response: Response): Promise<Errors | undefined> {
  try {
    const { errors } = await response.json();
    return Array.isArray(errors) ? errors : undefined;
  } catch {
    return undefined;
  }
}
