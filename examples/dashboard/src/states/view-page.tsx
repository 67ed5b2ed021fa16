import type { ReactNode } from 'react';
import { Cost } from '../features/cost/cost.tsx';
import { problemAt } from '../gateway/problems.ts';
import { RetryContext } from '../gateway/retry-context.tsx';
import type { View } from '../gateway/use-view.ts';
import { NotFound } from './not-found.tsx';
import { ProblemPage } from './problem-page.tsx';
import { ViewNotes } from './view-notes.tsx';
import './view-page.css';

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
export function ViewPage<Item>(props: ViewPageProps<Item>) {
  const { view } = props;
  return (
    <RetryContext value={view}>
      <div className="view" aria-busy={view.isLoading || view.isPending || view.isReloading}>
        <ViewNotes view={view} />
        <ViewContent {...props} />
      </div>
      <Cost view={view} />
    </RetryContext>
  );
}

function ViewContent<Item>({ view, field, item, what, id, skeleton, children }: ViewPageProps<Item>) {
  const { isLoading, problems, report } = view;
  if (item !== null && item !== undefined) return children(item);
  if (isLoading) {
    return (
      <>
        <h1 className="visually-hidden">
          {what} {id}
        </h1>
        {skeleton}
      </>
    );
  }
  const problem = problemAt(problems, field) ?? problems[0];
  return problem ? (
    <ProblemPage problem={problem} requestId={report.requestId} />
  ) : (
    <NotFound what={what} id={id} />
  );
}
