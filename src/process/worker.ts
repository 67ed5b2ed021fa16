import cluster from 'node:cluster';
import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import type { Feed, Serving } from '../gateway.ts';
import { leave } from './leave.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import type { Closing } from './opened.ts';

interface Working extends Serving {
  readMetrics(): Promise<object>;
}

export interface WorkerOptions {
  /** Starts a gateway on connections from elsewhere; `upstreamUrl` where the embedded reference is. */
  start(feed: Feed, upstreamUrl: URL | null): Promise<Working>;
  /** What has to outlast the gateway. */
  opened: Closing;
  /** Why it could not be started. */
  messageFrom(error: unknown): string;
  lifecycle: Config['lifecycle'];
  log: (line: string) => void;
}

/** Says to the supervisor that this worker cannot even begin, and why; then it ends. */
export function failAsWorker(messages: string[]): void {
  ignoreSignals();
  process.send?.({ kind: 'failed', messages } satisfies FromWorker, () => process.exit(1));
}

/** Serves what the supervisor hands over, until it is told to leave. */
export function serveAsWorker({ start, opened, messageFrom, lifecycle, log }: WorkerOptions): void {
  ignoreSignals();
  let gateway: Working | undefined;
  let take: ((socket: Socket) => void) | undefined;

  async function serve({ url, upstreamUrl }: Extract<ToWorker, { kind: 'serve' }>): Promise<void> {
    const feed: Feed = {
      url,
      start: (listener) => {
        take = listener;
      },
    };
    gateway = await start(feed, upstreamUrl === null ? null : new URL(upstreamUrl));
    tell({ kind: 'ready' });
  }

  function receive(id: number, socket: Socket | undefined): void {
    tell({ kind: 'took', id });
    const end = () => tell({ kind: 'left' });
    if (socket && take) {
      // As Node's own server would have it: who has said all he has to say may still be answered.
      socket.allowHalfOpen = true;
      socket.once('close', end);
      take(socket);
    } else end();
  }

  async function tellMetrics(id: number): Promise<void> {
    tell({ kind: 'metrics', id, metrics: (await gateway?.readMetrics()) ?? [] });
  }

  let isLeaving = false;
  const drain = (timeoutMs: number) => {
    if (!gateway) process.exit(1);
    if (!isLeaving) void leave(gateway, opened, timeoutMs, log);
    isLeaving = true;
  };

  process.on('message', (message: ToWorker, socket: Socket | undefined) => {
    if (message.kind === 'serve')
      serve(message).catch((error: unknown) => failAsWorker([messageFrom(error)]));
    else if (message.kind === 'connection') receive(message.id, socket);
    else if (message.kind === 'metrics') void tellMetrics(message.id);
    else if (message.kind === 'ping') tell({ kind: 'pong', id: message.id });
    else if (message.kind === 'retire') gateway?.retire();
    else if (message.kind === 'drain') drain(message.timeoutMs);
  });
  // Node ends a worker at once whose supervisor is gone, calls at work and all, unless it takes that to be meant.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => drain(lifecycle.drain.timeoutMs));
  tell({ kind: 'here' });
}

/** A terminal and some supervisors of services signal the whole group: it is the supervisor who says what to do. */
function ignoreSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
}

function tell(message: FromWorker): void {
  // A supervisor that is gone is heard of by the end of the channel.
  if (process.connected) process.send?.(message, () => {});
}
