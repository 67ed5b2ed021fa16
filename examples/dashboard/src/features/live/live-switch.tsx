import { type LiveState, switchLive, useLiveState } from '../../gateway/live/live-store.ts';
import { Age } from '../../ui/age.tsx';
import { formatTime } from '../../ui/format.ts';
import './live.css';

/** Turns live views on and off, and says how current they are. */
export function LiveSwitch() {
  const state = useLiveState();
  return (
    <div
      className="live"
      data-connection={state.connection}
      data-unchecked={state.uncheckedSince !== undefined && state.connection === 'open'}
    >
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
        <Note state={state} />
      </p>
    </div>
  );
}

/** Ages count on the screen; screen readers announce the time, once for each event. */
function Note({ state }: { state: LiveState }) {
  const { connection, since, checkedAt, uncheckedSince, isStale } = state;
  if (connection === 'open' && !isStale && uncheckedSince !== undefined) {
    return (
      <>
        <span aria-hidden="true">
          Not checked for <Age since={uncheckedSince} />
        </span>
        <span role="status" className="visually-hidden">
          Not checked since {formatTime(uncheckedSince)}
        </span>
      </>
    );
  }
  if (connection === 'open' && !isStale && since !== undefined) {
    return (
      <>
        <span aria-hidden="true">
          {isCheckedAfter(since, checkedAt) ? (
            <>
              Unchanged for <Age since={since} />
            </>
          ) : (
            <>
              Updated <Age since={since} /> ago
            </>
          )}
        </span>
        <span role="status" className="visually-hidden">
          Updated at {formatTime(since)}
        </span>
      </>
    );
  }
  return (
    <span role="status">
      {noteOf(state)}
      {connection === 'lost' && !isStale && since !== undefined && (
        <span aria-hidden="true">
          {' '}
          Data is <Age since={since} /> old.
        </span>
      )}
    </span>
  );
}

/** A heartbeat has its age in whole seconds, so that the poll that caused an event may seem to come just after it. */
const ROUNDING_MS = 1000;

/** Whether a poll has succeeded since the event: only then it is known that nothing has changed. */
function isCheckedAfter(since: number, checkedAt: number | undefined): boolean {
  return checkedAt !== undefined && checkedAt > since + ROUNDING_MS;
}

function noteOf({ isUnsupported, connection }: LiveState): string {
  if (isUnsupported) return 'Not available: the gateway runs without LIVE=on.';
  switch (connection) {
    case 'connecting':
      return 'Connecting…';
    case 'open':
      return 'Not current';
    case 'lost':
      return 'Connection lost. Connecting again…';
    case 'ended':
      return 'The stream has ended.';
    default:
      return '';
  }
}
