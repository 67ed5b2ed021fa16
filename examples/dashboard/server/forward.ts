import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';

/** The gateway accepts no more. */
const MAX_BODY_BYTES = 128 * 1024;

/** The gateway sends a part or a heartbeat of a stream every 12 seconds, and ends an operation after 20 unless it is set otherwise. */
const IDLE_MS = 60_000;

const requestHeaders = ['content-type', 'accept', 'x-request-id', 'x-explain', 'x-max-calls'];
const responseHeaders = [
  'content-type',
  'cache-control',
  'retry-after',
  'server-timing',
  'x-request-id',
  'x-accel-buffering',
];

export interface ForwardOptions {
  /** The URL of `/graphql` on the gateway, `http:` or `https:`. */
  gateway: URL;
  apiKey: string;
  /** How long the gateway may send nothing. */
  idleMs?: number | undefined;
  /** Cuts off live streams. */
  draining: AbortSignal;
}

/** Sends a request to the gateway with the key, and its response back as it comes, part by part. */
export async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  { gateway, apiKey, idleMs = IDLE_MS, draining }: ForwardOptions,
) {
  const body = await readBody(req).catch(() => null);
  if (body === null) return res.destroy();
  if (body === undefined) return fail(res, 413, 'BAD_REQUEST', 'The body is too large.');
  const headers = { ...pick(req.headers, requestHeaders), 'x-api-key': apiKey };
  const { request } = gateway.protocol === 'https:' ? https : http;
  const call = request(gateway, { method: 'POST', headers, timeout: idleMs });
  call.on('timeout', () => call.destroy());
  // Aborts the operation when the browser disconnects.
  res.on('close', () => call.destroy());
  call.end(body);
  const response = await responseTo(call);
  // Other statuses are not specified, and Node sends none below 100.
  const { statusCode = 0 } = response ?? {};
  if (!response || statusCode < 200 || statusCode > 599) {
    call.destroy();
    return fail(res, 502, 'GATEWAY_UNREACHABLE', 'The gateway does not respond.');
  }
  res.writeHead(statusCode, pick(response.headers, responseHeaders));
  const isStream = response.headers['content-type']?.startsWith('text/event-stream');
  // A response that is cut off is cut off here too.
  await pipeline(response, res, isStream ? { signal: draining } : {}).catch(() => {});
}

/** The head of the response; undefined if none comes. */
function responseTo(call: ClientRequest): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    call.on('response', resolve);
    // Stays: an error after the response must not end the process.
    call.on('error', () => resolve(undefined));
    // Without an error after `101 Switching Protocols`.
    call.on('close', () => resolve(undefined));
  });
}

/** Responds in the form of the gateway's errors, so that the page reads both alike. */
export function fail(res: ServerResponse, status: number, code: string, message: string) {
  if (res.headersSent) return res.destroy();
  // The rest of a rejected request is not read.
  res.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    connection: 'close',
  });
  return res.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}

/** The whole body; undefined where it is too large. Rejects when the browser disconnects before its end. */
function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
  });
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}
