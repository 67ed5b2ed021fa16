import type { Problem } from '../gateway/problems.ts';
import { RetryControl } from './problem-notice.tsx';
import './problem.css';

/** Stands in the place of a page of which nothing came. */
export function ProblemPage({ problem, requestId }: { problem: Problem; requestId: string | undefined }) {
  return (
    <section className="problem-page" role="alert" data-code={problem.code}>
      <h1>{problem.title}</h1>
      <p>{problem.advice}</p>
      <RetryControl problem={problem} />
      <dl>
        <div>
          <dt>Code</dt>
          <dd>
            <code>{problem.code}</code>
          </dd>
        </div>
        <div>
          <dt>Message</dt>
          <dd>{problem.message}</dd>
        </div>
        {requestId && (
          <div>
            <dt>Request</dt>
            <dd>
              <code>{requestId}</code>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
