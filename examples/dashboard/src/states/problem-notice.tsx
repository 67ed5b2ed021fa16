import type { Problem } from '../gateway/problems.ts';
import { useRetry } from '../gateway/retry-context.tsx';
import { Countdown } from './countdown.tsx';
import '../ui/notice.css';
import './problem.css';

/** Stands in the place of a part that failed, while the rest of the page stays. */
export function ProblemNotice({ problem }: { problem: Problem }) {
  return (
    <div className="notice problem-notice" data-code={problem.code}>
      <p>
        <strong>{problem.title}.</strong> {problem.advice}
      </p>
      <RetryControl problem={problem} />
    </div>
  );
}

/** Counts down to the automatic retry, or offers a button. */
export function RetryControl({ problem }: { problem: Problem }) {
  const { retryAt, reload } = useRetry();
  if (problem.retry === 'never') return null;
  if (retryAt !== undefined && problem.retry === 'automatic') {
    return (
      <p className="retry-countdown">
        Retries by itself in <Countdown until={retryAt} />
      </p>
    );
  }
  return (
    <button type="button" onClick={reload}>
      Try again
    </button>
  );
}
