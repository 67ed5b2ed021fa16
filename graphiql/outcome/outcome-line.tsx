import { useGraphiQL } from '@graphiql/react';
import { countOf } from '../cost/plan/counts.ts';
import { quotaText } from '../cost/quota/quota.ts';
import { lastRun } from '../cost/report/report.ts';
import { countMade, durationText } from '../cost/report/waterfall.ts';
import { useStore } from '../store.ts';
import { lastOutcome, sizeText } from './outcome.ts';

/** What came back: status, time, size and, as far as they are known, the REST calls and the quota. */
export function OutcomeLine() {
  const outcome = useStore(lastOutcome);
  const run = useStore(lastRun);
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
          {run && 'calls' in run ? <span>{countOf(countMade(run.calls))}</span> : null}
          {run?.quota ? <span>{quotaText(run.quota)}</span> : null}
        </>
      ) : null}
    </p>
  );
}
