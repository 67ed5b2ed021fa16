import { useEffect, useState } from 'react';
import { type LiveState, switchLive, useLiveState } from '../../gateway/live/live-store.ts';
import { formatTime } from '../../ui/format.ts';
import './live.css';

/** Turns live views on and off, and says when data came last. */
export function LiveSwitch() {
  const state = useLiveState();
  return (
    <div className="live" data-connection={state.connection}>
      <button
        type="button"
        role="switch"
        className="live-switch"
        aria-checked={state.isOn}
        aria-describedby="live-note"
        onClick={() => switchLive(!state.isOn)}
      >
        <span className="live-track" aria-hidden="true" />
        Live
      </button>
      <p id="live-note" className="live-note">
        {state.connection === 'open' && state.updatedAt !== undefined ? (
          <Updated at={state.updatedAt} />
        ) : (
          <span role="status">{noteOf(state)}</span>
        )}
      </p>
    </div>
  );
}

/** The age counts on the screen; screen readers announce the time, once for each event. */
function Updated({ at }: { at: number }) {
  const [now, setNow] = useState(at);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [at]);
  return (
    <>
      <span aria-hidden="true">Updated {ageText(Math.max(0, Math.floor((now - at) / 1000)))} ago</span>
      <span role="status" className="visually-hidden">
        Updated at {formatTime(at)}
      </span>
    </>
  );
}

function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

function noteOf({ isUnsupported, connection }: LiveState): string {
  if (isUnsupported) return 'Not available: the gateway runs without LIVE=on.';
  switch (connection) {
    case 'connecting':
      return 'Connecting…';
    case 'lost':
      return 'Connection lost. Connecting again…';
    case 'ended':
      return 'The stream has ended.';
    default:
      return '';
  }
}
