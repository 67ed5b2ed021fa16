import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { appended, noBytes } from '../rest/bodies.ts';
import { latestOf } from '../rest/memo.ts';
import { SyncPromise } from '../rest/sync-promise.ts';
import { badRequest } from '../schema/errors.ts';
import { receiveBody } from './socket/node-internals.ts';

/** Size of the request line and the header fields together: Node's own default. */
export const maxHeaderBytes = 16_384;
const malformed = badRequest('The request is not well-formed HTTP/1.1.', 400);
const errorsByCode: Record<string, GraphQLError> = {
  ERR_HTTP_REQUEST_TIMEOUT: badRequest('The request did not arrive in time.', 408),
  HPE_HEADER_OVERFLOW: badRequest('The request header fields are too large.', 431),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: badRequest('The chunk extensions of the body are too large.', 413),
};

/** The response to an error of Node's HTTP parser. */
export function parserError(error: Error): GraphQLError {
  return errorsByCode[(error as NodeJS.ErrnoException).code ?? ''] ?? malformed;
}

/** The response to a request that another server on its path could read differently (smuggling, RFC 9112, 11.2). */
export function framingError({ httpVersion, headers, rawHeaders, url = '' }: IncomingMessage) {
  const { 'transfer-encoding': codings } = headers;
  const isChunked = httpVersion === '1.1' && codings?.toLowerCase() === 'chunked';
  if ((httpVersion !== '1.1' && httpVersion !== '1.0') || countHosts(rawHeaders) > 1) return malformed;
  if (codings !== undefined && !isChunked) return malformed;
  // Only a proxy gets a target in another form than the origin form (RFC 9112, 3.2).
  return url.startsWith('/') ? undefined : malformed;
}

/** Counts the Host fields among `rawHeaders`, which has names and values in turn. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/** `uri-host [ ":" port ]` (RFC 9110, 7.2): the GraphQL server builds a URL from it. */
export const isHost = latestOf(
  (host: string) => /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`),
);

/** Longest key, in bytes. */
const maxKeyBytes = 256;
/** Visible ASCII without the comma, which separates the values of a field (RFC 9110, 5.3 and 5.6.1). */
const oneKey = /^[\x21-\x2b\x2d-\x7e]+$/;

/** The one API key in a value of `x-api-key`; undefined if it is not valid (REST document, 5). */
export function apiKeyFrom(field: string | string[] | undefined): string | undefined {
  // Node joins repeated fields with commas, as any proxy may (RFC 9110, 5.3).
  return typeof field === 'string' && field.length <= maxKeyBytes && oneKey.test(field) ? field : undefined;
}

/** As they were sent: the pipeline checks their types (GraphQL over HTTP, 4.1). */
interface Params extends GraphQLParams {
  /** The id of a trusted document. */
  documentId?: string;
}

/**
 * Reads the parameters of a POST from its JSON body, and those of a GET from its URL. Unknown parameters are
 * ignored. No error quotes the request.
 * @throws a GraphQLError if they cannot be read: 400, 413 for a body larger than `maxBodyBytes`, 415
 */
export function paramsFrom(req: IncomingMessage, maxBodyBytes: number): Promise<Params> {
  if (req.method === 'GET') return new Promise((resolve) => resolve(paramsFromUrl(req.url ?? '')));
  if (isJson(req)) return bodyFrom(req, maxBodyBytes);
  const message = 'Send the body as application/json, in UTF-8, with no Content-Encoding.';
  return Promise.reject(badRequest(message, 415));
}

const names = ['query', 'operationName', 'variables', 'extensions', 'documentId'] as const;

function paramsOf(read: (name: keyof Params) => unknown): Params {
  const params: Record<string, unknown> = {};
  for (const name of names) {
    const value = read(name);
    if (value !== undefined) params[name] = value;
  }
  return params;
}

function paramsFromUrl(url: string): Params {
  const start = url.indexOf('?');
  const search = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  return paramsOf((name) => {
    // An empty parameter counts as absent, because forms and links send empty ones.
    const text = search.get(name) || undefined;
    const isJson = name === 'variables' || name === 'extensions';
    return text && isJson
      ? jsonFrom(text, 'The parameters "variables" and "extensions" must be JSON.')
      : text;
  });
}

function paramsFromBody(body: Buffer): Params {
  if (!isUtf8(body)) throw badRequest('The body must be UTF-8.', 400);
  const json = jsonFrom(body.toString('utf8'), 'The body must be JSON.');
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw badRequest('The body must be a JSON object, with the document as its "query".', 422);
  return paramsOf((name) => (json as Params)[name]);
}

/** Media types and charsets are case-insensitive (RFC 9110, 8.3); JSON is UTF-8 (RFC 8259, 8.1). */
function isJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? '';
  if (headers['content-encoding'] !== undefined) return false;
  if (type === 'application/json') return true;
  return /^application\/json[ \t]*(;|$)/i.test(type) && !/charset=(?!"?utf-?8(?![\w-]))/i.test(type);
}

/** Stops reading at the limit, or before the first byte if the declared length exceeds it. */
function bodyFrom(req: IncomingMessage, maxBytes: number): Promise<Params> {
  const result = new SyncPromise<Params>();
  const rejectTooLarge = () =>
    result.reject(badRequest(`The request body is larger than ${maxBytes} bytes.`, 413));
  if (Number(req.headers['content-length']) > maxBytes) {
    req.pause();
    rejectTooLarge();
    return result;
  }
  let body = noBytes;
  let size = 0;
  receiveBody(req, {
    onData(chunk) {
      if (size + chunk.length > maxBytes) {
        rejectTooLarge();
        return false;
      }
      body = appended(body, size, chunk);
      size += chunk.length;
      return true;
    },
    onEnd: () => result.resolveWith(() => paramsFromBody(size < body.length ? body.subarray(0, size) : body)),
    // The client is gone, so that this error is only logged.
    onAbort: () => result.reject(badRequest('The request was aborted before its body was complete.', 400)),
  });
  return result;
}

function jsonFrom(text: string, message: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(message, 400);
  }
}
