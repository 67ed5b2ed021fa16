import { formatQuota, isLow, type Quota } from '../../gateway/quota.ts';

/** A sentence and a meter of what is left of the rate limit, with a warning below a fifth. */
export function QuotaMeter({ quota, subject }: { quota: Quota; subject: string }) {
  const { remaining, limit } = quota;
  return (
    <div className="cost-quota">
      <p>
        {subject} {formatQuota(quota)}
      </p>
      {limit !== null && (
        <meter
          aria-label="Rate limit"
          aria-valuetext={formatQuota(quota)}
          max={limit}
          low={limit / 5}
          optimum={limit}
          value={remaining}
        />
      )}
      {isLow(quota) && <p className="cost-low">Less than a fifth of the rate limit is left.</p>}
    </div>
  );
}

/** In the closed corner, where there is no meter. */
export function LowQuota({ quota }: { quota: Quota | undefined }) {
  return quota && isLow(quota) && <span className="cost-low">few calls left</span>;
}
