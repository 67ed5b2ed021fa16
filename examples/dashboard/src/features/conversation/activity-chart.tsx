import type { ThreadMessageFragment } from '../../generated/graphql.ts';
import { formatDuration, formatMoment } from '../../ui/format.ts';
import { useWidth } from '../../ui/use-width.ts';
import { activityOf, type Bar } from './activity.ts';

const HEIGHT = 40;
/** A single message is no full bar. */
const LEAST_MOST = 2;
const kinds = ['requester', 'others', 'internal'] as const;

/** When messages were written and by whom, as bars; and the same in a sentence. */
export function ActivityChart({ messages }: { messages: readonly ThreadMessageFragment[] }) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const activity = activityOf(messages);
  if (!activity) return null;
  const { bars, step, spanSeconds, firstReplySeconds } = activity;
  const slot = width / bars.length;
  const most = Math.max(LEAST_MOST, ...bars.map(totalOf));
  return (
    <figure className="activity">
      <div ref={frame}>
        <svg width={width} height={HEIGHT + 1} aria-hidden="true">
          <line x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
          {bars.map((bar, index) => (
            <g key={bar.start} transform={`translate(${index * slot} 0)`}>
              <title>{`${formatMoment(new Date(bar.start).toISOString())}: ${totalOf(bar)}`}</title>
              <Stack bar={bar} width={Math.min(18, Math.max(2, slot - 3))} scale={HEIGHT / most} />
            </g>
          ))}
        </svg>
      </div>
      <figcaption>
        <span>
          Over {formatDuration(spanSeconds)}
          {firstReplySeconds !== undefined && <>, first reply after {formatDuration(firstReplySeconds)}</>}
        </span>
        <span className="activity-keys" aria-hidden="true">
          <span className="key key-requester">Requester</span>
          <span className="key key-others">Others</span>
          <span className="key key-internal">Internal</span>
          <span>per {step}</span>
        </span>
      </figcaption>
    </figure>
  );
}

const totalOf = (bar: Bar) => kinds.reduce((total, kind) => total + bar[kind], 0);

/** The messages of one stretch of time, one kind above the other. */
function Stack({ bar, width, scale }: { bar: Bar; width: number; scale: number }) {
  let top = HEIGHT;
  return kinds.map((kind) => {
    const height = bar[kind] * scale;
    top -= height;
    return <rect key={kind} className={`stack-${kind}`} y={top} width={width} height={height} rx={2} />;
  });
}
