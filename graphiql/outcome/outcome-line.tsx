import { useGraphiQL } from '@graphiql/react';
import { durationText } from '../cost/report/waterfall.ts';
import { useStore } from '../store.ts';
import { lastOutcome, sizeText } from './outcome.ts';

/** Status, time and size of the response, and the id of the request. Has its place above the response from the start. */
export function OutcomeLine() {
  const outcome = useStore(lastOutcome);
  const isFetching = useGraphiQL(({ isFetching }) => isFetching);
  const { status = 0 } = outcome ?? {};
  return (
    <p className="portico-outcome" role="status">
      {outcome && !isFetching ? (
        <>
          <strong className={status >= 200 && status < 400 ? '' : 'portico-failed'}>
            {outcome.status ?? 'No response'}
          </strong>
          <span>{durationText(outcome.durationMs)}</span>
          <span>{sizeText(outcome.bytes)}</span>
          {outcome.requestId ? <code title="x-request-id">{outcome.requestId}</code> : null}
        </>
      ) : null}
      {outcome || isFetching ? null : '\u00a0'}
    </p>
  );
}
