import { useEffect, useRef, useState } from 'react';
import type { Problem } from './problems.ts';

/** After that many failures the page offers a button instead. */
const MAX_RETRIES = 5;
/** Where the gateway does not say how long to wait; doubled with each retry. */
const FIRST_WAIT_S = 2;

/**
 * Where a problem is temporary, retries after the longest wait that one of them asks for. Returns the time of the
 * next retry, in milliseconds since 1970.
 */
export function useAutomaticRetry(
  problems: readonly Problem[],
  isIdle: boolean,
  retry: () => void,
): number | undefined {
  const [retryAt, setRetryAt] = useState<number>();
  const retries = useRef(0);

  useEffect(() => {
    if (!isIdle) return;
    const temporary = problems.filter((problem) => problem.retry === 'automatic');
    if (temporary.length === 0) retries.current = 0;
    if (temporary.length === 0 || retries.current >= MAX_RETRIES) return;
    const least = FIRST_WAIT_S * 2 ** retries.current;
    const waits = temporary.map(({ retryAfter }) => retryAfter ?? least);
    const waitMs = Math.max(1, ...waits) * 1000;
    setRetryAt(Date.now() + waitMs);
    const timer = setTimeout(() => {
      retries.current += 1;
      retry();
    }, waitMs);
    return () => {
      clearTimeout(timer);
      setRetryAt(undefined);
    };
  }, [problems, isIdle, retry]);

  return retryAt;
}
