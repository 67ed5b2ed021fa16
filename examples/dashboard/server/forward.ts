import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** The gateway accepts no more. */
const MAX_BODY_BYTES = 128 * 1024;

/** The gateway begins a response within 20 seconds, unless it is set otherwise. */
const MAX_WAIT_MS = 60_000;

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
  /** Cuts off live streams. */
  draining: AbortSignal;
}

/** Sends a request to the gateway with the key, and its response back as it comes, part by part. */
export async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  { gateway, apiKey, draining }: ForwardOptions,
) {
  const body = await readBody(req).catch(() => null);
  if (body === null) return res.destroy();
  if (body === undefined) return fail(res, 413, 'BAD_REQUEST', 'The body is too large.');
  const call = new AbortController();
  // Aborts the operation when the browser disconnects.
  res.on('close', () => call.abort());
  const timer = setTimeout(() => call.abort(), MAX_WAIT_MS);
  const headers = {
    ...pick(req.headers, requestHeaders),
    'x-api-key': apiKey,
    'accept-encoding': 'identity',
  };
  const init = { method: 'POST', headers, body, redirect: 'manual', signal: call.signal } as const;
  const response = await fetch(gateway, init).catch(() => undefined);
  clearTimeout(timer);
  if (!response) return fail(res, 502, 'GATEWAY_UNREACHABLE', 'The gateway does not respond.');
  res.writeHead(response.status, pick(Object.fromEntries(response.headers), responseHeaders));
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  // A response that is cut off is cut off here too.
  await pipeline(response.body ?? [], res, isStream ? { signal: draining } : {}).catch(() => {});
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

/** The whole body; undefined if it is too large. Rejects when the browser disconnects before its end. */
async function readBody(req: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}
