/** From a worker to the supervisor. */
export type FromWorker =
  /** The process runs, and waits for `serve`. */
  | { kind: 'online' }
  | { kind: 'ready' }
  /** It cannot start, for these reasons. */
  | { kind: 'failed'; messages: string[] }
  /** It has received this connection, so that the supervisor may close its copy. */
  | { kind: 'accepted'; id: number }
  /** One of its connections was closed. */
  | { kind: 'closed' }
  /** The response to the request with this id. */
  | { kind: 'metrics'; id: number; metrics: object }
  | { kind: 'pong'; id: number };

/** From the supervisor to a worker. */
export type ToWorker =
  /** `url` is that of the port, `upstreamUrl` that of the embedded reference, if there is one. */
  | { kind: 'serve'; url: string; upstreamUrl: string | null }
  /** Comes with a socket. */
  | { kind: 'connection'; id: number }
  | { kind: 'metrics'; id: number }
  | { kind: 'ping'; id: number }
  | { kind: 'retire' }
  /** Active requests are aborted after `timeoutMs`. */
  | { kind: 'drain'; timeoutMs: number };
