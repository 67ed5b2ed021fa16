import { createContext, useContext } from 'react';

/** How the page of a problem is read again. */
export interface Retry {
  /** The time of the next automatic retry, in milliseconds since 1970. */
  retryAt: number | undefined;
  reload(): void;
}

export const RetryContext = createContext<Retry>({ retryAt: undefined, reload: () => {} });

export const useRetry = () => useContext(RetryContext);
