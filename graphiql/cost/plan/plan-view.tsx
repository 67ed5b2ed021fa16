import { useEffect, useState } from 'react';
import { formulaOf, lastName } from '../../../src/features/explain/cost.ts';
import { ErrorMeaning } from '../../errors/error-meaning.tsx';
import { useStore } from '../../store.ts';
import { CallCell } from '../call-cell.tsx';
import { useMarking } from '../marks/marking.ts';
import { reportedRuns } from '../report/report.ts';
import type { LivePlan, Plan, PlannedCall } from '../types.ts';
import { countOf } from './counts.ts';
import { ForecastView } from './forecast-view.tsx';
import { planState } from './plan.ts';
import { type PlanRow, rowsOf } from './rows.ts';

/** The calls that the operation in the editor would make, and their number as a formula. */
export function PlanView() {
  const { plan, isOld, rejection, needsKey, isPending } = useStore(planState);
  const isRejected = rejection !== undefined || (!isOld && plan?.exceeded !== undefined);
  const [isOpen, setOpen] = useOpenPlan(isRejected);
  return (
    <details
      className={`portico-plan${isRejected ? ' portico-rejected' : ''}`}
      aria-busy={isPending}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h3>Plan</h3>
        {isRejected ? <strong className="portico-failed">rejected</strong> : null}
        <span aria-live="polite" className={isOld ? 'portico-old' : ''}>
          {plan ? <Formula plan={plan} /> : null}
        </span>
      </summary>
      {needsKey ? <p className="portico-note">The plan needs an API key.</p> : null}
      {rejection ? <p className="portico-note">{rejection.message}</p> : null}
      {rejection?.code ? <ErrorMeaning code={rejection.code} /> : null}
      {plan?.exceeded ? <ExcessNote {...plan.exceeded} /> : null}
      {plan?.live ? <LiveNote live={plan.live} /> : null}
      {plan && plan.calls.length > 0 ? <PlanTable calls={plan.calls} isOld={isOld} /> : null}
      {plan?.omittedCalls ? <p className="portico-note">and {countOf(plan.omittedCalls)} more</p> : null}
      {plan && !isRejected ? <ForecastView plan={plan} /> : null}
    </details>
  );
}

/** The plan is open while the operation is edited; after a run it makes room for the report, unless it says why not. */
function useOpenPlan(isRejected: boolean): [boolean, (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(true);
  const { plan } = useStore(planState);
  const runs = useStore(reportedRuns);
  // biome-ignore lint/correctness/useExhaustiveDependencies: both change after an edit.
  useEffect(() => setOpen(true), [plan, isRejected]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the operation that was run, and not of a later edit.
  useEffect(() => {
    if (runs > 0) setOpen(isRejected);
  }, [runs]);
  return [isOpen, setOpen];
}

function Formula({ plan }: { plan: Plan }) {
  const formula = formulaOf(plan.cost);
  return (
    <span className="portico-formula">
      <strong>{formula}</strong> {formula === '1' ? 'call' : 'calls'}
      <span className="portico-note">
        {plan.live ? ` every ${plan.live.everySeconds} s` : ` of at most ${plan.limit}`}
      </span>
    </span>
  );
}

/** The limits that are exceeded; the pointer marks the field that passes it. */
function ExcessNote({ field, message }: { field: string; message: string }) {
  const { row } = useMarking([field]);
  return (
    <p className="portico-note" {...row}>
      {message}
    </p>
  );
}

/** Polls cost the same however many streams read them. */
function LiveNote({ live: { callsPerMinute, atMostPerMinute, limitPerMinute } }: { live: LivePlan }) {
  const most = atMostPerMinute > callsPerMinute ? `, at most ${atMostPerMinute}` : '';
  return (
    <p className="portico-note">
      {countOf(callsPerMinute)} a minute{most}, for all streams together. Live queries of one key make at most{' '}
      {limitPerMinute}.
    </p>
  );
}

function PlanTable({ calls, isOld }: { calls: readonly PlannedCall[]; isOld: boolean }) {
  return (
    <table className={`portico-calls${isOld ? ' portico-old' : ''}`}>
      <caption className="portico-hidden">
        {isOld ? 'The planned REST calls of the last valid text' : 'The planned REST calls'}
      </caption>
      <thead>
        <tr>
          <th scope="col">Call</th>
          <th scope="col">Times</th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(calls).map((row) => (
          <CallRow key={JSON.stringify(row)} call={row} />
        ))}
      </tbody>
    </table>
  );
}

function CallRow({ call: { path, fields, forEach, times } }: { call: PlanRow }) {
  const { row, button } = useMarking(fields);
  return (
    <tr {...row}>
      <CallCell path={path} fields={fields} button={button} />
      <td>{forEach ? `× ${lastName(forEach)}` : times}</td>
    </tr>
  );
}
