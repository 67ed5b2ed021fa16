import type { ReactNode } from 'react';
import { Cost } from '../features/cost/cost.tsx';
import { type Problem, problemAt } from '../gateway/problems.ts';
import type { View } from '../gateway/use-view.ts';
import { Age } from '../ui/age.tsx';
import { formatCount } from '../ui/format.ts';
import { RetryContext, RetryControl } from './problem-notice.tsx';

interface ViewPageProps<Item> {
  view: View<unknown>;
  /** The field of the query that the page shows, and its value. */
  field: string;
  item: Item | null | undefined;
  /** Its name, for the reader: Site. */
  what: string;
  id: string;
  skeleton: ReactNode;
  children(item: Item): ReactNode;
}

/** Every state of a page: loading, failed, not found, or its content with what failed in it. */
export function ViewPage<Item>({ view, field, item, what, id, skeleton, children }: ViewPageProps<Item>) {
  const { isLoading, problems } = view;
  const problem = problemAt(problems, field) ?? problems[0];
  return (
    <ViewFrame view={view}>
      {item && children(item)}
      {!item && isLoading && (
        <>
          <h1 className="visually-hidden">
            {what} {id}
          </h1>
          {skeleton}
        </>
      )}
      {!item && !isLoading && problem && <ProblemPage problem={problem} requestId={view.requestId} />}
      {!item && !isLoading && !problem && <NotFound what={what} id={id} />}
    </ViewFrame>
  );
}

/** The data of a page, with what is to be known about it as a whole before it, and what it cost after it. */
export function ViewFrame({ view, children }: { view: View<unknown>; children: ReactNode }) {
  const { report, isLive, isLoading, isPending, isReloading, reload } = view;
  return (
    <RetryContext value={view}>
      <div className="view" aria-busy={isLoading || isPending || isReloading}>
        <p className="visually-hidden" role="status">
          {statusOf(view)}
        </p>
        {/* The header says it of a live view. */}
        {report.staleSince !== undefined && !isLive && (
          <div className="notice view-note row spread" data-note="stale">
            <p>
              <strong>
                <Age since={report.staleSince} /> old.
              </strong>{' '}
              The REST API does not respond: this is what it sent last.
            </p>
            <button type="button" onClick={reload}>
              Try again
            </button>
          </div>
        )}
        {report.omittedErrors > 0 && (
          <div className="notice view-note row spread" data-note="omitted">
            <p>
              <strong>Incomplete.</strong> {formatCount(report.omittedErrors, 'more field')} could not be
              read.
            </p>
          </div>
        )}
        {children}
      </div>
      <Cost view={view} />
    </RetryContext>
  );
}

/** The text for screen readers while the data comes. */
function statusOf({ data, isLoading, isPending, isReloading, isLive }: View<unknown>): string {
  if (isLoading) return 'Loading.';
  if (isPending) return 'Loading the rest.';
  if (isReloading) return 'Reading again.';
  // The switch of the header says when an event came.
  return data && !isLive ? 'Loaded.' : '';
}

/** Stands in the place of a page of which nothing came. */
function ProblemPage({ problem, requestId }: { problem: Problem; requestId: string | undefined }) {
  // The message of a temporary problem says what the countdown says.
  const message = problem.retry === 'automatic' ? undefined : problem.message;
  const details = { Code: problem.code, Message: message, Request: requestId };
  return (
    <section className="problem-page" role="alert" data-code={problem.code}>
      <h1>{problem.title}</h1>
      <p>{problem.advice}</p>
      <RetryControl problem={problem} />
      <dl>
        {Object.entries(details).map(([term, text]) =>
          text ? (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </section>
  );
}

/** A resource that does not exist, or is another partner's: the REST API responds to both alike. */
export function NotFound({ what, id }: { what: string; id?: string }) {
  return (
    <section className="problem-page" role="alert" data-code="NOT_FOUND">
      <h1>{what} not found</h1>
      <p>
        {id ? `${id} does not exist, or belongs to another partner.` : 'There is nothing at this address.'}
      </p>
    </section>
  );
}
