import { createContext, useContext, useEffect, useState } from 'react';
import type { Problem } from '../gateway/problems.ts';
import type { View } from '../gateway/use-view.ts';
import './states.css';

/** How the page of a problem is read again. */
export const RetryContext = createContext<Pick<View<unknown>, 'retryAt' | 'reload'>>({
  retryAt: undefined,
  reload: () => {},
});

/** Stands in the place of a part that failed, while the rest of the page stays. */
export function ProblemNotice({ problem }: { problem: Problem }) {
  return (
    <div className="notice row spread" data-code={problem.code}>
      <p>
        <strong>{problem.title}.</strong> {problem.advice}
      </p>
      <RetryControl problem={problem} />
    </div>
  );
}

/** Counts down to the automatic retry, or offers a button. */
export function RetryControl({ problem }: { problem: Problem }) {
  const { retryAt, reload } = useContext(RetryContext);
  if (problem.retry === 'never') return null;
  if (retryAt !== undefined) {
    return (
      <p className="retry-countdown">
        Retrying in <Countdown until={retryAt} />
      </p>
    );
  }
  return (
    <button type="button" onClick={reload}>
      Try again
    </button>
  );
}

/** The seconds until a time, which is in milliseconds since 1970. */
function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <span role="timer" aria-live="off">
      {Math.max(0, Math.ceil((until - now) / 1000))} s
    </span>
  );
}
