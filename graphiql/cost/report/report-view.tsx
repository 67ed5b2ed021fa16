import { useStore } from '../../store.ts';
import { CallCell } from '../call-cell.tsx';
import { useMarking } from '../marks/marking.ts';
import { countOf } from '../plan/counts.ts';
import { planState } from '../plan/plan.ts';
import { QuotaText } from './quota-text.tsx';
import { lastRun, type ReportSoFar } from './report.ts';
import { type Bar, countMade, durationText, styleOf, type Waterfall, waterfallOf } from './waterfall.ts';

/** The calls that the last operation made, over time. */
export function ReportView() {
  const last = useStore(lastRun);
  const isLive = useStore(planState).plan?.live !== undefined;
  return (
    <section className="portico-report" aria-label="Last run">
      <h3>Last run</h3>
      {last && 'calls' in last ? (
        <ReportTable report={last} />
      ) : (
        <p className="portico-note">
          {isLive
            ? 'A live query has no report. Its result comes again whenever the polls find a change, until you stop it.'
            : 'Run the operation to see its calls.'}
        </p>
      )}
    </section>
  );
}

function ReportTable({ report: { calls, quota, endedAt } }: { report: ReportSoFar }) {
  const waterfall = waterfallOf(calls);
  const made = countMade(calls);
  return (
    <>
      <p className="portico-formula" role="status">
        <strong>{made}</strong> {countOf(made).split(' ')[1]}
        {calls.length > 0 ? ` in ${durationText(waterfall.totalMs)}` : ''}
        {quota ? <QuotaText quota={quota} asOf={endedAt} /> : null}
      </p>
      {calls.length > 0 ? <WaterfallTable waterfall={waterfall} /> : null}
    </>
  );
}

function WaterfallTable({ waterfall: { bars } }: { waterfall: Waterfall }) {
  return (
    <table className="portico-calls portico-waterfall">
      <caption className="portico-hidden">
        The REST calls of the last run, in the order of their start
      </caption>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">Status</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {bars.map((bar, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two calls may be equal in everything.
          <CallRow key={index} bar={bar} />
        ))}
      </tbody>
    </table>
  );
}

function CallRow({ bar: { call, startPercent, widthPercent } }: { bar: Bar }) {
  const { source, path, status, fields, startedMs, durationMs } = call;
  const { row, button } = useMarking(fields);
  return (
    <tr {...row}>
      <CallCell path={path} fields={fields} button={button} />
      <td className={status !== null && status < 400 ? '' : 'portico-failed'}>
        {status ?? 'none'}
        {source === 'network' ? null : <span className={`portico-fields ${styleOf(source)}`}>{source}</span>}
      </td>
      <td className="portico-time">
        {durationText(durationMs)}
        <span className="portico-fields">at {durationText(startedMs)}</span>
        <span className="portico-track" aria-hidden="true">
          <span
            className={`portico-bar ${styleOf(source)}`}
            style={{ left: `${startPercent}%`, width: `${widthPercent}%` }}
          />
        </span>
      </td>
    </tr>
  );
}
