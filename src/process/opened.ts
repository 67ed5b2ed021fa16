/** Something that is open, and to be closed. */
export interface Closing {
  close(): Promise<void>;
}

/** What has been opened so far. */
export interface Opened extends Closing {
  /** Notes what is to be closed with the others; returns it. */
  add<T extends Closing | undefined>(one: T): T;
}

/** Closes what was opened last first. */
export function createOpened(): Opened {
  const opened: Closing[] = [];
  return {
    add(one) {
      if (one) opened.unshift(one);
      return one;
    },
    async close() {
      for (const one of opened.splice(0)) await one.close();
    },
  };
}
