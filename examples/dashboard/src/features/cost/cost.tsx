import type { LivePlan } from '../../gateway/live/live-stream.ts';
import type { Quota } from '../../gateway/quota.ts';
import { countMade, type UpstreamCall } from '../../gateway/report.ts';
import type { View } from '../../gateway/use-view.ts';
import { formatCount } from '../../ui/format.ts';
import { LowQuota, QuotaMeter } from './quota-meter.tsx';
import './cost.css';

/** What the view cost, in the corner of the page: its REST calls, from the report of the gateway. */
export function Cost({ view }: { view: View<unknown> }) {
  if (view.isLive) return view.livePlan ? <LiveCost plan={view.livePlan} quota={view.report.quota} /> : null;
  const { calls, budget, quota } = view.report;
  // The report comes with the last part, and with no rejected operation.
  const isUnknown = calls.length === 0 && (view.isPending || view.problems.length > 0);
  if (view.isLoading || isUnknown) return null;
  return (
    <aside className="cost" aria-label="Cost of this view">
      <details>
        <summary>
          <span>{formatCount(countMade(calls), 'REST call')}</span>
          <LowQuota quota={quota} />
          {calls.length > 0 && <span className="cost-time">{Math.round(endOf(calls))} ms</span>}
        </summary>
        <div className="cost-details">
          {quota && <QuotaMeter quota={quota} subject={`${formatCount(countMade(calls), 'call')};`} />}
          {calls.length === 0 ? <p>From the cache of this page.</p> : <CallList calls={calls} />}
          {budget && (
            <p>
              {budget.spent} of the {budget.limit} calls that one operation may make
            </p>
          )}
          <button type="button" onClick={view.reload}>
            Read again
          </button>
        </div>
      </details>
    </aside>
  );
}

/** Polls are shared by all pages of the key, so that a live view has no report of its own. */
function LiveCost({ plan, quota }: { plan: LivePlan; quota: Quota | undefined }) {
  const { everySeconds, atMostPerMinute } = plan;
  return (
    <aside className="cost" aria-label="Cost of this view">
      <details>
        <summary>
          <span>Live</span>
          <LowQuota quota={quota} />
          <span className="cost-time">polled every {everySeconds} s</span>
        </summary>
        <div className="cost-details">
          <p>
            The gateway makes at most {formatCount(atMostPerMinute, 'REST call')} a minute for this view. All
            pages with its key share them.
          </p>
          {quota && <QuotaMeter quota={quota} subject="Rate limit:" />}
        </div>
      </details>
    </aside>
  );
}

function CallList({ calls }: { calls: readonly UpstreamCall[] }) {
  const end = endOf(calls);
  return (
    <ol>
      {calls.map((call) => (
        <li
          key={`${call.path} ${call.source} ${call.startedMs} ${call.durationMs}`}
          title={call.fields?.join(', ')}
        >
          <code>{call.path}</code>
          <span className="cost-outcome">
            {call.status ?? 'no response'} · {call.source} · {Math.round(call.durationMs)} ms
          </span>
          <svg className="cost-bar" height="4" width="100%" aria-hidden="true">
            <rect
              x={`${(100 * (call.startedMs ?? 0)) / end}%`}
              width={`${Math.max(0.5, (100 * call.durationMs) / end)}%`}
              height="4"
              rx="2"
            />
          </svg>
        </li>
      ))}
    </ol>
  );
}

/** When the last call ended, in milliseconds since the operation began. */
const endOf = (calls: readonly UpstreamCall[]) =>
  Math.max(1, ...calls.map(({ startedMs = 0, durationMs }) => startedMs + durationMs));
