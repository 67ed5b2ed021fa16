/** What a worker tells the supervisor. */
export type FromWorker =
  /** It runs, and waits to be told to serve. */
  | { kind: 'here' }
  | { kind: 'ready' }
  /** It cannot start, for these reasons. */
  | { kind: 'failed'; messages: string[] }
  /** It has this connection, so that the supervisor may let go of it. */
  | { kind: 'took'; id: number }
  /** One of its connections has ended. */
  | { kind: 'left' }
  /** What it was asked for under this number. */
  | { kind: 'metrics'; id: number; metrics: object }
  /** Its event loop runs. */
  | { kind: 'pong'; id: number };

/** What the supervisor tells a worker. */
export type ToWorker =
  /** `url` is that of the port, `upstreamUrl` that of the embedded reference, if there is one. */
  | { kind: 'serve'; url: string; upstreamUrl: string | null }
  /** Comes with a socket. */
  | { kind: 'connection'; id: number }
  | { kind: 'metrics'; id: number }
  | { kind: 'ping'; id: number }
  | { kind: 'retire' }
  /** Calls at work may take so long. */
  | { kind: 'drain'; timeoutMs: number };
