import type { ProjectFragment } from '../../generated/graphql.ts';
import { compact, formatDay, timeOf } from '../../ui/format.ts';
import { useWidth } from '../../ui/use-width.ts';
import { createTimeScale, type TimeScale } from './time-scale.ts';

const AXIS = 26;
/** The width below which a name and a stage do not fit on one line. In pixels, as all lengths. */
const NARROW = 560;

/** The projects on a line of time: from the signature to the start, and from there to the end of the warranty. */
export function ProjectTimeline({ projects }: { projects: readonly ProjectFragment[] }) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const now = Date.now();
  const times = projects.flatMap(datesOf).flatMap((date) => timeOf(date) ?? []);
  const isNarrow = width < NARROW;
  const row = isNarrow ? 78 : 58;
  const height = projects.length * row + AXIS;
  const scale = createTimeScale([...times, now], width);
  return (
    <figure className="timeline" aria-hidden="true">
      <div ref={frame}>
        {width > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            {scale.ticks.map(({ x, label }) => (
              <g key={label} className="tick">
                <line x1={x} x2={x} y1={0} y2={height - AXIS} />
                <text x={x} y={height - 8}>
                  {label}
                </text>
              </g>
            ))}
            <line className="today" x1={scale.x(now)} x2={scale.x(now)} y1={0} y2={height - AXIS} />
            {projects.map((item, index) => (
              <g key={index} transform={`translate(0 ${index * row})`}>
                <ProjectRow project={item} scale={scale} now={now} isNarrow={isNarrow} />
              </g>
            ))}
          </svg>
        )}
      </div>
      <figcaption>
        <span className="key key-planned">Signed to start</span>
        <span className="key key-warranty">Start to end of warranty</span>
        <span className="key key-open">Under way</span>
        <span className="key key-estimate">Estimated start</span>
        <span className="key key-today">Today</span>
      </figcaption>
    </figure>
  );
}

const datesOf = ({ signingDate, estimatedDay1, day1StartDate, warrantyExpiration }: ProjectFragment) => [
  signingDate,
  estimatedDay1,
  day1StartDate,
  warrantyExpiration,
];

interface ProjectRowProps {
  project: ProjectFragment;
  scale: TimeScale;
  now: number;
  isNarrow: boolean;
}

function ProjectRow({ project, scale, now, isNarrow }: ProjectRowProps) {
  const [signed, estimated, started, expires] = datesOf(project).map(timeOf);
  const begin = started ?? estimated;
  const warranty =
    expires === undefined
      ? undefined
      : `warranty ${expires < now ? 'ended' : 'until'} ${formatDay(project.warrantyExpiration)}`;
  const dates = compact(datesOf(project)).length === 0 ? 'dates not stated' : undefined;
  const stage = { className: 'project-stage', ...(isNarrow ? { x: 0, dy: 19 } : { dx: 8 }) };
  return (
    <>
      <text className="project-name" x={0} y={20}>
        {project.name || 'Project'}
        <tspan {...stage}>
          {compact([project.stage || 'stage not stated', dates, warranty]).join(' · ')}
        </tspan>
      </text>
      <g transform={`translate(0 ${isNarrow ? 50 : 31})`}>
        {signed !== undefined && begin !== undefined && (
          <Bar kind="planned" from={signed} to={begin} scale={scale} />
        )}
        {started !== undefined && expires !== undefined && (
          <Bar kind="warranty" from={started} to={expires} scale={scale} />
        )}
        {started !== undefined && expires === undefined && (
          <Bar kind="open" from={started} to={now} scale={scale} />
        )}
        {started === undefined && estimated !== undefined && (
          <path className="bar-estimate" d={`M${scale.x(estimated)} -1l7 7-7 7-7-7z`} />
        )}
      </g>
    </>
  );
}

/** A bar between two times, wide enough to be seen. */
function Bar({ kind, from, to, scale }: { kind: string; from: number; to: number; scale: TimeScale }) {
  const x = scale.x(Math.min(from, to));
  return (
    <rect
      className={`bar-${kind}`}
      x={x}
      width={Math.max(4, scale.x(Math.max(from, to)) - x)}
      height={12}
      rx={3}
    />
  );
}
