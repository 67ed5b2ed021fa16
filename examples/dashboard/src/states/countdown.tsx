import { useEffect, useState } from 'react';

/** The seconds until a time, which is in milliseconds since 1970. */
export function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <span role="timer" aria-live="off">
      {Math.max(0, Math.ceil((until - now) / 1000))} s
    </span>
  );
}
