import { useGraphiQL } from '@graphiql/react';
import { useEffect, useState } from 'react';
import { useStore } from '../../store.ts';
import { QuotaText } from './quota-text.tsx';
import { lastRun } from './report.ts';

/** How many events of a live query came, and when it was checked: below the response, which is the last of them. */
export function LiveStatus() {
  const run = useStore(lastRun);
  const isOpen = useGraphiQL(({ subscription }) => subscription !== null);
  if (!run || 'calls' in run) return null;
  const { events, lastAt, checkedAt, isOverdue, stale, quota } = run;
  return (
    <p className="portico-live">
      <strong>{isOpen ? 'Live' : 'Ended'}</strong>: {events} {events === 1 ? 'event' : 'events'}, the last at{' '}
      {lastAt.toLocaleTimeString()}; checked at {checkedAt.toLocaleTimeString()}.
      {isOpen && stale.length === 0 && isOverdue ? (
        <span className="portico-failed">
          {' '}
          Not checked for <Seconds since={Number(checkedAt)} />.
        </span>
      ) : null}
      {stale.map(({ path, asOf }) => (
        <span key={path} className="portico-failed">
          {' '}
          Stale: {path} is as of {asOf.toLocaleTimeString()}.
        </span>
      ))}
      {quota ? <QuotaText quota={quota} asOf={lastAt} /> : null}
    </p>
  );
}

/** How long ago a time was: grows on the screen. */
function Seconds({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <>{Math.max(0, Math.round((now - since) / 1000))} s</>;
}
