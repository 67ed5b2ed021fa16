import type { View } from '../gateway/use-view.ts';
import { Age } from '../ui/age.tsx';
import { formatCount } from '../ui/format.ts';
import '../ui/notice.css';
import './problem.css';

/** What is to be known about the data as a whole: that it loads, is old, or incomplete. */
export function ViewNotes({ view }: { view: View<unknown> }) {
  const { report, reload } = view;
  return (
    <>
      <p className="visually-hidden" role="status">
        {statusOf(view)}
      </p>
      {report.staleSince !== undefined && (
        <div className="notice view-note" data-note="stale">
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
        <div className="notice view-note" data-note="omitted">
          <p>
            <strong>Incomplete.</strong> {formatCount(report.omittedErrors, 'more field')} could not be read.
          </p>
        </div>
      )}
    </>
  );
}

/** What a screen reader says as the data comes. */
function statusOf({ data, isLoading, isPending, isReloading, isLive }: View<unknown>): string {
  if (isLoading) return 'Loading.';
  if (isPending) return 'Loading the rest.';
  if (isReloading) return 'Reading again.';
  // The switch of the header says when an event came.
  return data && !isLive ? 'Loaded.' : '';
}
