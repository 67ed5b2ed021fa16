import type { GraphQLError } from 'graphql';
import type { LaneRequest, Next } from '../../http/lanes.ts';
import { rangesOf } from '../../operation/accept.ts';
import { type LiveEvent, responseText } from './execution.ts';
import type { Checked } from './poll-reader.ts';

/** Media types of streams: GraphQL over SSE (distinct connections mode) and Apollo's multipart protocol. */
type StreamType = 'text/event-stream' | 'multipart/mixed';

/** The media type of the stream the client accepts: the first in the list; undefined if it accepts none. */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  if (accept === undefined || !/event-stream|subscriptionspec/i.test(accept)) return undefined;
  const found = rangesOf(accept).find(
    ({ range, parameters }) =>
      range === 'text/event-stream' ||
      (range === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0')),
  );
  return found?.range as StreamType | undefined;
}

/** Time between two writes that keep an idle connection open. */
const HEARTBEAT_MS = 12_000;

/** Writes the events of a live query. Nothing is sent before the first; of those that are not read the newest waits. */
export class LiveStream {
  readonly #request: LaneRequest;
  /** Undefined from the first event on: it retains the parameters. */
  #next: Next | undefined;
  readonly #source: { readonly checked: Checked };
  readonly #format: StreamFormat;
  /** Undefined before the first event. */
  #heartbeat: NodeJS.Timeout | undefined;
  /** True if the connection has not taken all of the last write. */
  #isWriting = false;
  #newest: LiveEvent | undefined;
  #isOver = false;
  /** Ends the stream, once the newest event is written. */
  #end: string | undefined;

  constructor(request: LaneRequest, next: Next, type: StreamType, source: { readonly checked: Checked }) {
    this.#request = request;
    this.#next = next;
    this.#source = source;
    this.#format = formats[type];
  }

  /** The present state, as a whole. */
  onEvent(event: LiveEvent): void {
    if (this.#isOver) return;
    if (!this.#heartbeat) this.#start(event);
    else if (this.#isWriting) this.#newest = event;
    else this.#write(bytesOf(event, this.#format));
  }

  /** Nothing more comes: the key may not read any of it. */
  onComplete(): void {
    this.#endWith(this.#format.complete);
  }

  /** In place of the first event: the response that a query would get. */
  onRejected(error: GraphQLError): void {
    this.#isOver = true;
    this.#next?.(error);
  }

  /** To be called when the connection is closed. */
  close(): void {
    this.#isOver = true;
    this.#newest = undefined;
    clearInterval(this.#heartbeat);
    this.#request.res.draining.removeEventListener('abort', this.#onDraining);
  }

  #start(event: LiveEvent): void {
    const { observer, res, finish } = this.#request;
    const { contentType, start, heartbeat } = this.#format;
    observer?.onResult(event.codes, event.hasData);
    observer?.onStream();
    finish();
    this.#next = undefined;
    // Not the event itself, whose text the response would retain. Its polls are calls for all of its streams.
    res.calls = { notices: event.notices, ended: [] };
    // nginx passes each event on at once.
    res.writeHead(200, { 'content-type': contentType, 'x-accel-buffering': 'no' });
    this.#heartbeat = setInterval(() => {
      if (!this.#isWriting && !this.#isOver) this.#write(heartbeat(JSON.stringify(this.#source.checked)));
    }, HEARTBEAT_MS).unref();
    this.#write(Buffer.concat([Buffer.from(start), bytesOf(event, this.#format)]));
    if (res.draining.aborted) this.#onDraining();
    else res.draining.addEventListener('abort', this.#onDraining);
  }

  #write(bytes: Buffer | string): void {
    this.#isWriting = true;
    this.#request.res.write(bytes, this.#onWritten);
  }

  readonly #onWritten = () => {
    this.#isWriting = false;
    const event = this.#newest;
    this.#newest = undefined;
    if (event) this.#write(bytesOf(event, this.#format));
    else if (this.#end !== undefined) this.#finish(this.#end);
  };

  /**
   * With an empty end the client is to connect again. The response is cut off: after a proper end some
   * clients (urql) take the stream for complete. The response has no `Connection: close`, with which Node's
   * `fetch` takes a cut for a proper end.
   */
  readonly #onDraining = () => this.#endWith('');

  #endWith(end: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end = end;
    if (!this.#isWriting) this.#finish(end);
  }

  #finish(end: string): void {
    clearInterval(this.#heartbeat);
    if (end === '') this.#request.res.socket?.destroy();
    else this.#request.res.end(end);
  }
}

interface StreamFormat {
  contentType: string;
  start: string;
  eventOf(text: string): string;
  /** Keeps the connection open; clients ignore it. It has the age of the data, in a place that they need not read. */
  heartbeat(age: string): string;
  /** After the last event: the client does not connect again. */
  complete: string;
}

const formats: Record<StreamType, StreamFormat> = {
  /** https://github.com/graphql/graphql-over-http/blob/main/rfcs/GraphQLOverSSE.md, distinct connections */
  'text/event-stream': {
    contentType: 'text/event-stream; charset=utf-8',
    start: ':\n\n',
    eventOf: (text) => `event: next\ndata: ${text}\n\n`,
    heartbeat: (age) => `:${age}\n\n`,
    complete: 'event: complete\ndata:\n\n',
  },
  /** https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol */
  'multipart/mixed': {
    contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
    start: '\r\n--graphql',
    // With the boundary of the next part: a parser knows the end of this one by it.
    eventOf: (text) => partOf(`{"payload":${text}}`),
    heartbeat: (age) => partOf('{}', `\r\nlive-age: ${age}`),
    complete: '--\r\n',
  },
};

function partOf(json: string, fields = ''): string {
  return `\r\ncontent-type: application/json${fields}\r\n\r\n${json}\r\n--graphql`;
}

const known = new WeakMap<LiveEvent, Map<StreamFormat, Buffer>>();

/** The bytes of an event, the same for all of its streams. They are kept for one turn of the event loop. */
function bytesOf(event: LiveEvent, format: StreamFormat): Buffer {
  const ofEvent = known.get(event) ?? new Map<StreamFormat, Buffer>();
  if (!known.has(event)) setImmediate(() => known.delete(event));
  known.set(event, ofEvent);
  const bytes = ofEvent.get(format) ?? Buffer.from(format.eventOf(responseText(event)));
  ofEvent.set(format, bytes);
  return bytes;
}
