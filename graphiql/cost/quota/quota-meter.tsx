import { isLow, type Quota, quotaText } from './quota.ts';

/** The share of the rate limit that is left, with a warning below a fifth; nothing without a limit. */
export function QuotaMeter({ quota }: { quota: Quota }) {
  const { remaining, limit } = quota;
  if (limit === null) return null;
  return (
    <>
      <meter
        className="portico-quota"
        aria-label="Rate limit"
        aria-valuetext={quotaText(quota)}
        max={limit}
        low={limit / 5}
        optimum={limit}
        value={remaining}
      />
      {isLow(quota) ? (
        <span className="portico-low">Less than a fifth of the rate limit is left.</span>
      ) : null}
    </>
  );
}
