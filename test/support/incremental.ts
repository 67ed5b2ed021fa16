import { type GraphqlResponse, postOperation, type QueryOptions } from './gateway.ts';

type Errors = NonNullable<GraphqlResponse['errors']>;

type Path = (string | number)[];

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

/** Posts one operation, and yields the parts as they arrive; a complete response is one part. */
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

async function* partsOf(response: Response, expectAbsent: (text: string) => void): AsyncGenerator<SentPart> {
  const type = response.headers.get('content-type') ?? '';
  const end = type.startsWith('multipart/') ? '\r\n---' : type.startsWith(eventStream) ? '\n\n' : undefined;
  if (end === undefined) {
    const text = await response.text();
    expectAbsent(text);
    return yield JSON.parse(text) as SentPart;
  }
  for await (const message of messagesOf(response, end)) {
    expectAbsent(message);
    const [, json] = /^(?:data: )?(\{[^\r\n]*)/m.exec(message) ?? [];
    if (json !== undefined) yield JSON.parse(json) as SentPart;
  }
}

/** The messages of a response, each of which ends so, as they arrive. */
export async function* messagesOf(response: Response, end: string): AsyncGenerator<string> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const messages = (text + chunk).split(end);
    text = messages.pop() ?? '';
    yield* messages;
  }
}
