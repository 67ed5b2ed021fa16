export interface SignalHandlers {
  /** Leaves in peace: on the first SIGTERM or SIGINT. */
  stop(): Promise<void>;
  /** Ends this process at once, whatever runs: on the second. */
  abort(): void;
  /** On each SIGHUP. */
  reload(): void;
}

/** Has signals of the operator heard. Without a handler each of them would end the process. */
export function onSignals({ stop, abort, reload }: SignalHandlers): void {
  let isStopping = false;
  const leave = () => {
    if (isStopping) return abort();
    isStopping = true;
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave);
  process.on('SIGHUP', reload);
}
