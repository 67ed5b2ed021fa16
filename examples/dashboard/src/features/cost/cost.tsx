import { countMade, formatQuota, isLow, type UpstreamCall } from '../../gateway/report.ts';
import type { View } from '../../gateway/use-view.ts';
import { formatCount } from '../../ui/format.ts';
import './cost.css';

/** The cost of a view, at its end: its REST calls, from the report of the gateway. A live view has no report. */
export function Cost({ view }: { view: View<unknown> }) {
  const { calls, budget, quota } = view.report;
  // Data from the cache of the page costs nothing.
  if (view.isLoading || (view.isLive ? !quota : calls.length === 0)) return null;
  const title = view.isLive ? 'Rate limit' : formatCount(countMade(calls), 'REST call');
  return (
    <aside className="cost" aria-label="Cost of this view">
      <details>
        <summary>
          <span>{title}</span>
          {quota && isLow(quota) && <span className="cost-low">few calls left</span>}
          {calls.length > 0 && <span>{Math.round(endOf(calls))} ms</span>}
        </summary>
        {quota && <p>{formatQuota(quota)}</p>}
        {budget && (
          <p>
            {budget.spent} of {budget.limit} calls that one operation may make
          </p>
        )}
        {view.isLive && <p>Live pages share their REST calls.</p>}
        <CallList calls={calls} />
        {!view.isLive && (
          <button type="button" onClick={view.reload}>
            Reload
          </button>
        )}
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
          <span>
            {call.status ?? 'no response'} · {call.source} · {Math.round(call.durationMs)} ms
          </span>
          <svg height="4" width="100%" aria-hidden="true">
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
