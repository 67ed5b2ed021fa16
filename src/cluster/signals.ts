export interface SignalHandlers {
  /** Shuts down gracefully: on the first SIGTERM or SIGINT. */
  stop(): Promise<void>;
  /** Exits at once: on the second. */
  abort(): void;
  /** On each SIGHUP. */
  reload(): void;
}

/** Handles SIGTERM, SIGINT and SIGHUP. Without a handler each of them ends the process. */
export function onSignals({ stop, abort, reload }: SignalHandlers): void {
  let isStopping = false;
  const onStop = () => {
    if (isStopping) return abort();
    isStopping = true;
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onStop);
  process.on('SIGHUP', reload);
}
