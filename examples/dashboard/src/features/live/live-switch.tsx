import { type LiveState, switchLive, useLiveState } from '../../gateway/live/live-store.ts';
import { Age } from '../../ui/age.tsx';
import { formatMoment } from '../../ui/format.ts';
import './live.css';

/** Turns live views on and off, and says how current they are. */
export function LiveSwitch() {
  const state = useLiveState();
  const { isOn, connection, isLate, checkedAt } = state;
  const isWarning = connection === 'lost' || (connection === 'open' && isLate);
  return (
    <div className="live">
      <button
        type="button"
        role="switch"
        className="live-switch"
        aria-checked={isOn}
        aria-describedby="live-note"
        onClick={() => switchLive(!isOn)}
      >
        <span className="live-track" aria-hidden="true" />
        Live
      </button>
      <p id="live-note" data-warning={isWarning}>
        <span role="status">{noteOf(state)}</span>
        {checkedAt !== undefined && (connection === 'open' || connection === 'lost') && (
          <>
            {/* Ages count on the screen; screen readers announce the time, once for each event. */}
            <span aria-hidden="true">
              {' '}
              {isLate ? 'Not checked for' : 'Checked'} <Age since={checkedAt} /> {isLate ? '' : 'ago'}
            </span>
            <span className="visually-hidden">
              Checked at {formatMoment(new Date(checkedAt).toISOString())}
            </span>
          </>
        )}
      </p>
    </div>
  );
}

function noteOf({ isUnsupported, connection, checkedAt }: LiveState): string {
  if (isUnsupported) return 'Not available: the gateway runs without LIVE=on.';
  switch (connection) {
    case 'connecting':
      return 'Connecting…';
    case 'open':
      return checkedAt === undefined ? 'Nothing read yet' : '';
    case 'lost':
      return 'Connecting again…';
    case 'ended':
      return 'The stream has ended.';
    default:
      return '';
  }
}
