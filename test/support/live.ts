import { onTestFinished } from 'vitest';
import { postOperation } from './gateway.ts';
import { messagesOf } from './incremental.ts';

/** One event of a stream: its result, or its end. */
export type LiveEvent = { data?: unknown; errors?: unknown[]; extensions?: unknown } | 'complete';

export interface LiveOptions {
  key?: string;
  variables?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** Opens a live query by Server-Sent Events, until the end of the test; its text may have no key. */
export async function openLive(
  url: string,
  document: string | { documentId: string },
  { headers, ...options }: LiveOptions = {},
) {
  const client = new AbortController();
  onTestFinished(() => client.abort());
  const { response, expectAbsent } = await postOperation(url, document, {
    ...options,
    headers: { accept: 'text/event-stream, application/json', ...headers },
    signal: client.signal,
  });
  const events: LiveEvent[] = [];
  const news = new EventTarget();
  const read = async () => {
    for await (const text of messagesOf(response, '\n\n')) {
      const event = eventFrom(text);
      expectAbsent(text);
      if (event) events.push(event);
      news.dispatchEvent(new Event('event'));
    }
  };
  const rejected = response.ok ? undefined : response.clone();
  let isOver = false;
  /** Whether the stream ended properly, or was cut off. */
  const ended: Promise<'ended' | 'cut'> = read()
    .then(
      () => 'ended' as const,
      () => 'cut' as const,
    )
    .finally(() => {
      isOver = true;
      news.dispatchEvent(new Event('event'));
    });
  return {
    status: response.status,
    headers: response.headers,
    /** Of a response that is no stream. */
    body: () => rejected?.json(),
    events,
    ended,
    close: () => client.abort(),
    /** All events, once there are `count`. */
    async received(count: number): Promise<LiveEvent[]> {
      while (events.length < count) {
        if (isOver) throw new Error(`the stream is over after ${JSON.stringify(events)}`);
        await new Promise((resolve) => news.addEventListener('event', resolve, { once: true }));
      }
      return events;
    },
  };
}

function eventFrom(text: string): LiveEvent | undefined {
  if (/^event: complete$/m.test(text)) return 'complete';
  const data = /^data: (.+)$/m.exec(text)?.[1];
  return data === undefined ? undefined : (JSON.parse(data) as LiveEvent);
}
