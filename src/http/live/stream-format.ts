import type { LiveEvent } from '../../operation/live/live-execution.ts';
import type { StreamType } from '../../operation/response/accept.ts';

/** How a stream is written. */
interface StreamFormat {
  contentType: string;
  /** Before the first event. */
  start: string;
  eventOf(text: string): string;
  /** Keeps the connection open; clients ignore it. */
  heartbeat: string;
  /** After the last event: the client does not connect again. */
  complete: string;
}

export const formats: Record<StreamType, StreamFormat> = {
  /** https://github.com/graphql/graphql-over-http/blob/main/rfcs/GraphQLOverSSE.md, distinct connections mode */
  'text/event-stream': {
    contentType: 'text/event-stream; charset=utf-8',
    start: ':\n\n',
    eventOf: (text) => `event: next\ndata: ${text}\n\n`,
    heartbeat: ':\n\n',
    complete: 'event: complete\ndata:\n\n',
  },
  /** https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol */
  'multipart/mixed': {
    contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
    start: '\r\n--graphql',
    // With the boundary of the next part: a parser knows the end of this one by it.
    eventOf: (text) => partOf(`{"payload":${text}}`),
    heartbeat: partOf('{}'),
    complete: '--\r\n',
  },
};

function partOf(json: string): string {
  return `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--graphql`;
}

const known = new WeakMap<LiveEvent, Partial<Record<StreamType, Buffer>>>();

/** The bytes of an event, which are the same for all of its streams. They are kept for one turn of the event loop. */
export function bytesOfEvent(event: LiveEvent, type: StreamType): Buffer {
  const ofEvent = known.get(event) ?? {};
  if (!known.has(event)) setImmediate(() => known.delete(event));
  known.set(event, ofEvent);
  ofEvent[type] ??= Buffer.from(formats[type].eventOf(event.text));
  return ofEvent[type];
}
