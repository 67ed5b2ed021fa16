import type { ServiceLevel } from '../../generated/graphql.ts';

/** The levels whose colour says something. The REST API gives them no rank, so that all others look alike. */
const tones: Partial<Record<ServiceLevel, string>> = {
  INACTIVE: 'off',
  NON_MEMBER: 'off',
  LEGACY: 'off',
  INTERNAL: 'internal',
};

interface ServiceLevelBadgeProps {
  level: ServiceLevel | null;
  /** The text of the REST API. */
  label: string | null;
}

export function ServiceLevelBadge({ level, label }: ServiceLevelBadgeProps) {
  const tone = level === null ? 'off' : (tones[level] ?? 'on');
  return <span className={`badge badge-${tone}`}>{label || 'Service level not stated'}</span>;
}
