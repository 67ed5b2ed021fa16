import { formatDay, timeOf } from '../../ui/format.ts';

/** How much of a plan has passed: a bar from the first day to the last. */
export function PlanMeter({ from, until }: { from: string | null; until: string }) {
  const [start, end, now] = [timeOf(from), timeOf(until), Date.now()];
  const passed =
    start !== undefined && end !== undefined && end > start ? (now - start) / (end - start) : undefined;
  const hasEnded = end !== undefined && end < now;
  return (
    <div className="plan-meter">
      <p>
        <span>{from && `Since ${formatDay(from)}`}</span>
        <span>
          CPP {hasEnded ? 'expired' : 'expires'} {formatDay(until)}
        </span>
      </p>
      {passed !== undefined && (
        <svg width="100%" height="6" aria-hidden="true">
          <rect className="plan-all" width="100%" height="6" rx="3" />
          <rect
            className="plan-passed"
            width={`${100 * Math.min(1, Math.max(0.01, passed))}%`}
            height="6"
            rx="3"
          />
        </svg>
      )}
    </div>
  );
}
