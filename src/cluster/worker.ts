import cluster from 'node:cluster';
import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import type { ConnectionSource, Serving } from '../gateway.ts';
import type { Disposable } from './disposables.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { shutdown } from './shutdown.ts';

interface WorkerGateway extends Serving {
  readMetrics(): Promise<object>;
}

export interface WorkerOptions {
  /** Starts a gateway; `upstreamUrl` is that of the embedded reference, if there is one. */
  start(source: ConnectionSource, upstreamUrl: URL | null): Promise<WorkerGateway>;
  /** What the gateway needs until it is drained. */
  disposables: Disposable;
  /** The reason of a failed start. */
  messageFrom(error: unknown): string;
  lifecycle: Config['lifecycle'];
  log: (line: string) => void;
}

/** Reports to the supervisor why this worker cannot start, and exits. */
export function failAsWorker(messages: string[]): void {
  ignoreSignals();
  process.send?.({ kind: 'failed', messages } satisfies FromWorker, () => process.exit(1));
}

/** Serves the connections from the supervisor until it sends `drain`. */
export function serveAsWorker({ start, disposables, messageFrom, lifecycle, log }: WorkerOptions): void {
  ignoreSignals();
  let gateway: WorkerGateway | undefined;
  let onConnection: ((socket: Socket) => void) | undefined;

  async function serve({ url, upstreamUrl }: Extract<ToWorker, { kind: 'serve' }>): Promise<void> {
    const source: ConnectionSource = {
      url,
      start: (listener) => {
        onConnection = listener;
      },
    };
    gateway = await start(source, upstreamUrl === null ? null : new URL(upstreamUrl));
    send({ kind: 'ready' });
  }

  function receive(id: number, socket: Socket | undefined): void {
    send({ kind: 'accepted', id });
    const onClose = () => send({ kind: 'closed' });
    if (socket && onConnection) {
      // As in Node's own HTTP server: a client that has ended its side still gets its response.
      socket.allowHalfOpen = true;
      socket.once('close', onClose);
      onConnection(socket);
    } else onClose();
  }

  async function sendMetrics(id: number): Promise<void> {
    send({ kind: 'metrics', id, metrics: (await gateway?.readMetrics()) ?? [] });
  }

  let isDraining = false;
  const drain = (timeoutMs: number) => {
    if (!gateway) process.exit(1);
    if (!isDraining) void shutdown(gateway, disposables, timeoutMs, log);
    isDraining = true;
  };

  process.on('message', (message: ToWorker, socket: Socket | undefined) => {
    if (message.kind === 'serve')
      serve(message).catch((error: unknown) => failAsWorker([messageFrom(error)]));
    else if (message.kind === 'connection') receive(message.id, socket);
    else if (message.kind === 'metrics') void sendMetrics(message.id);
    else if (message.kind === 'ping') send({ kind: 'pong', id: message.id });
    else if (message.kind === 'retire') gateway?.retire();
    else if (message.kind === 'drain') drain(message.timeoutMs);
  });
  // Without this Node exits a worker at once when its supervisor is gone, active requests included.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => drain(lifecycle.drain.timeoutMs));
  send({ kind: 'online' });
}

/** A terminal and some service managers signal the whole process group: only the supervisor acts on it. */
function ignoreSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
}

function send(message: FromWorker): void {
  // The end of the supervisor is reported by 'disconnect'.
  if (process.connected) process.send?.(message, () => {});
}
