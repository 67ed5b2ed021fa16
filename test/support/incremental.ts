import { expect } from 'vitest';
import { type GraphqlResponse, postOperation, type QueryOptions } from './gateway.ts';

type Errors = NonNullable<GraphqlResponse['errors']>;

type Path = (string | number)[];

/** One part of a response, as it was sent. */
export interface SentPart {
  data?: Record<string, unknown> | null;
  errors?: Errors;
  incremental?: SentEntry[];
  hasNext?: boolean;
  extensions?: Record<string, unknown>;
  pending?: { id: string; path: Path; label?: string }[];
  completed?: { id: string; errors?: Errors }[];
}

/** With a path in v0.1, with an id in v0.2. */
interface SentEntry {
  data?: unknown;
  items?: unknown[] | null;
  errors?: Errors;
  path?: Path;
  label?: string;
  id?: string;
}

export const multipart = 'multipart/mixed';
export const eventStream = 'text/event-stream';
/** Both kinds of responses in parts, in both formats. */
export const incrementalFormats = [multipart, eventStream].flatMap((type) => [
  type,
  `${type};incrementalSpec=v0.2`,
]);

export interface PartsOptions extends QueryOptions {
  accept?: string;
}

/**
 * Posts one operation, and yields the parts of the response as they arrive; a complete response is a single
 * part.
 */
export async function streamParts(
  url: string,
  document: string | object,
  { accept = multipart, headers, ...options }: PartsOptions = {},
) {
  const { response, expectAbsent } = await postOperation(url, document, {
    ...options,
    headers: { accept, ...headers },
  });
  return { status: response.status, headers: response.headers, parts: partsOf(response, expectAbsent) };
}

/** The same, with all parts. */
export async function postForParts(url: string, document: string | object, question: PartsOptions = {}) {
  const { status, headers, parts } = await streamParts(url, document, question);
  const all: SentPart[] = [];
  for await (const part of parts) all.push(part);
  return { status, headers, parts: all };
}

type Listen = (text: string) => void;

async function* partsOf(response: Response, listen: Listen): AsyncGenerator<SentPart> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('multipart/')) return yield* messages(response, multipartMessage, listen);
  if (type.startsWith('text/event-stream')) return yield* messages(response, eventMessage, listen);
  const text = await response.text();
  listen(text);
  yield JSON.parse(text) as SentPart;
}

/** The end of the first message in the text, and its JSON, if any; undefined while it is incomplete. */
type Take = (text: string) => { end: number; json?: string } | undefined;

async function* messages(response: Response, take: Take, listen: Listen): AsyncGenerator<SentPart> {
  expect(response.body).not.toBeNull();
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    listen(text);
    for (let message = take(text); message; message = take(text)) {
      text = text.slice(message.end);
      if (message.json) yield JSON.parse(message.json) as SentPart;
    }
  }
}

const multipartMessage: Take = (text) => {
  const [found, json] = /^.*?\r\n\r\n(\{[^\n]*\})\r\n---/s.exec(text) ?? [];
  return found === undefined || json === undefined ? undefined : { end: found.length, json };
};

const eventMessage: Take = (text) => {
  const [found, event = ''] = /^(.*?)\n\n/s.exec(text) ?? [];
  const json = /^data: (\{.*)$/m.exec(event)?.[1];
  return found === undefined ? undefined : { end: found.length, ...(json !== undefined && { json }) };
};
