import { useSyncExternalStore } from 'react';

/** The part of the address after `#`, also as it changes. */
export function useFragment(): string {
  return useSyncExternalStore(subscribe, () => location.hash.slice(1));
}

function subscribe(onChange: () => void): () => void {
  const events = ['hashchange', 'popstate'];
  for (const event of events) addEventListener(event, onChange);
  return () => {
    for (const event of events) removeEventListener(event, onChange);
  };
}
