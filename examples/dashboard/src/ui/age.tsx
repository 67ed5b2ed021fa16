import { useEffect, useState } from 'react';
import { formatDuration } from './format.ts';

/** How long ago a time was, in milliseconds since 1970: grows on the screen. Screen readers do not read it out each time. */
export function Age({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span aria-live="off">{formatDuration(Math.max(0, Math.floor((now - since) / 1000)))}</span>;
}
