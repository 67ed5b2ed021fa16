export interface Disposable {
  close(): Promise<void>;
}

export interface Disposables extends Disposable {
  /** Adds something to close with the others, and returns it. */
  add<T extends Disposable | undefined>(disposable: T): T;
}

/** What is open in this process. `close` closes the last added first. */
export function createDisposables(): Disposables {
  const open: Disposable[] = [];
  return {
    add(disposable) {
      if (disposable) open.unshift(disposable);
      return disposable;
    },
    async close() {
      for (const disposable of open.splice(0)) await disposable.close();
    },
  };
}
