import { createStore } from '../store.ts';

/** The response to an operation, so far. */
export interface Outcome {
  /** Of HTTP; undefined if no response came. */
  status: number | undefined;
  /** Since the request. */
  durationMs: number;
  /** Of the body, uncompressed. */
  bytes: number;
  /** The id by which the logs of the gateway have the request. */
  requestId: string | null;
}

/** Of the operation that was executed last in the active tab. */
export const lastOutcome = createStore<Outcome | undefined>(undefined);

/** Begins an operation. Returns a `fetch` that shows in `lastOutcome` what comes back, as it arrives. */
export function startOutcome(): typeof fetch {
  const startedAt = performance.now();
  lastOutcome.set(undefined);
  return async (input, init) => {
    let requestId: string | null = null;
    const show = (status: number | undefined, bytes: number) => {
      // The tab of an operation that was stopped may show another one.
      if (!init?.signal?.aborted)
        lastOutcome.set({ status, durationMs: performance.now() - startedAt, bytes, requestId });
    };
    const response = await fetch(input, init).catch((error: unknown) => {
      show(undefined, 0);
      throw error;
    });
    const { status, headers, body } = response;
    requestId = headers.get('x-request-id');
    show(status, 0);
    return body
      ? new Response(body.pipeThrough(counter((bytes) => show(status, bytes))), response)
      : response;
  };
}

/** Passes the chunks of a body on, and their length so far to `onBytes`. */
function counter(
  onBytes: (bytes: number) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      onBytes(bytes);
      controller.enqueue(chunk);
    },
    flush: () => onBytes(bytes),
  });
}

/** `312 B`, `1.2 kB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
