import { useGraphiQL } from '@graphiql/react';
import { useStore } from '../../store.ts';
import { quotaText } from '../quota/quota.ts';
import { QuotaMeter } from '../quota/quota-meter.tsx';
import { lastRun } from './report.ts';

/** How many events of a live query came, and when: below the response, which is the last of them. */
export function LiveStatus() {
  const run = useStore(lastRun);
  const isOpen = useGraphiQL(({ subscription }) => subscription !== null);
  if (!run || 'calls' in run) return null;
  const { events, lastAt, stale, quota } = run;
  return (
    <p className="portico-live">
      <strong>{isOpen ? 'Live' : 'Ended'}</strong>: {events} {events === 1 ? 'event' : 'events'}, the last at{' '}
      {lastAt.toLocaleTimeString()}.
      {stale.map(({ path, asOf }) => (
        <span key={path} className="portico-failed">
          {' '}
          Stale: {path} is as of {asOf.toLocaleTimeString()}.
        </span>
      ))}
      {quota ? (
        <>
          {' '}
          Rate limit: {quotaText(quota)}. <QuotaMeter quota={quota} />
        </>
      ) : null}
    </p>
  );
}
