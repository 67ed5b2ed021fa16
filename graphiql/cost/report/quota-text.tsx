import { isLow, type Quota, quotaText } from './quota.ts';

/** The rest of the rate limit, with a warning below a fifth. */
export function QuotaText({ quota, asOf }: { quota: Quota; asOf: Date }) {
  return (
    <span className={`portico-note${isLow(quota) ? ' portico-failed' : ''}`}>
      {' '}
      Rate limit: {quotaText(quota)}, as of {asOf.toLocaleTimeString()}.
      {isLow(quota) ? ' Less than a fifth.' : ''}
    </span>
  );
}
