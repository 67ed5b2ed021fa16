import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { badRequest } from '../errors.ts';
import { SyncPromise } from '../sync-promise.ts';

/** The parameters of a request (GraphQL over HTTP, 4.1), as sent. The operation pipeline checks their types. */
export interface Params {
  query?: string;
  operationName?: string;
  variables?: Record<string, unknown>;
  extensions?: Record<string, unknown>;
  /** The id of a trusted document. */
  documentId?: string;
}

const names = ['query', 'operationName', 'variables', 'extensions', 'documentId'] as const;

/**
 * Reads the parameters of a POST from its JSON body, and those of a GET from its URL. Unknown parameters are ignored. No
 * error quotes the request.
 * @throws a GraphQLError where they cannot be read: 400, 413 for a body larger than `maxBodyBytes`, 415
 */
export function paramsFrom(req: IncomingMessage, maxBodyBytes: number): Promise<Params> {
  if (req.method === 'GET') return new Promise((resolve) => resolve(paramsFromUrl(req.url ?? '')));
  if (isJson(req)) return paramsFromJson(req, maxBodyBytes);
  const message = 'Send the body as application/json, in UTF-8, with no Content-Encoding.';
  return Promise.reject(badRequest(message, 415));
}

function paramsFromUrl(url: string): Params {
  const start = url.indexOf('?');
  const search = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  // An empty parameter counts as absent, because forms and links send empty ones.
  const given = names.flatMap((name) => {
    const text = search.get(name);
    return text ? [[name, isJsonInUrl(name) ? jsonFrom(text, urlIsNoJson) : text] as const] : [];
  });
  return Object.fromEntries(given);
}

const urlIsNoJson = 'The parameters "variables" and "extensions" must be JSON.';

function isJsonInUrl(name: (typeof names)[number]): boolean {
  return name === 'variables' || name === 'extensions';
}

function paramsFromBody(body: Buffer): Params {
  const json = jsonFrom(textFrom(body), 'The body must be JSON.');
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw badRequest('The body must be a JSON object, with the document as its "query".', 400);
  }
  const { query, operationName, variables, extensions, documentId }: Params = json;
  const params: Params = {};
  if (query !== undefined) params.query = query;
  if (operationName !== undefined) params.operationName = operationName;
  if (variables !== undefined) params.variables = variables;
  if (extensions !== undefined) params.extensions = extensions;
  if (documentId !== undefined) params.documentId = documentId;
  return params;
}

/** Media types and charsets are case-insensitive (RFC 9110, 8.3); JSON is UTF-8 (RFC 8259, 8.1). */
function isJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? '';
  if (headers['content-encoding'] !== undefined) return false;
  if (type === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(type);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

/** Stops reading at the limit, or before the first byte where the declared length exceeds it. */
function paramsFromJson(req: IncomingMessage, maxBytes: number): Promise<Params> {
  const params = new SyncPromise<Params>();
  const rejectTooLarge = () => {
    req.pause();
    params.reject(badRequest(`The request body is larger than ${maxBytes} bytes.`, 413));
  };
  if (Number(req.headers['content-length']) > maxBytes) {
    rejectTooLarge();
    return params;
  }
  // Most bodies are one chunk. Several are copied into one growing buffer: a chunk of one byte can retain a buffer many
  // times its size.
  let body: Buffer = emptyBuffer;
  let size = 0;
  req.on('data', (chunk: Buffer) => {
    if (size + chunk.length > maxBytes) return rejectTooLarge();
    if (size === 0) body = chunk;
    else {
      if (size + chunk.length > body.length) body = grow(body, size, chunk.length);
      chunk.copy(body, size);
    }
    size += chunk.length;
  });
  req.on('close', () => {
    // The client is gone, so that this error is only logged.
    const message = 'The request was aborted before its body was complete.';
    if (!req.readableEnded) params.reject(badRequest(message, 400));
  });
  req.on('end', () => params.resolveWith(() => paramsFromBody(body.subarray(0, size))));
  return params;
}

const emptyBuffer = Buffer.alloc(0);

function grow(body: Buffer, size: number, more: number): Buffer {
  const grown = Buffer.allocUnsafeSlow(Math.max(2 * body.length, size + more));
  body.copy(grown, 0, 0, size);
  return grown;
}

/** Decodes a body as UTF-8, without a byte order mark. */
function textFrom(body: Buffer): string {
  if (!isUtf8(body)) throw badRequest('The body must be UTF-8.', 400);
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function jsonFrom(text: string, message: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(message, 400);
  }
}
