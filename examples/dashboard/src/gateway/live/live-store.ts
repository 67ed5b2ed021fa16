import { createStore, storedText, storeText } from '../../ui/store.ts';

/** The switch of the header, and how the stream of the page is. */
export interface LiveState {
  isOn: boolean;
  /** Whether the gateway has rejected live queries. */
  isUnsupported: boolean;
  /** `none`: the page has no stream; `lost`: it connects again by itself; `ended`: nothing more comes. */
  connection: 'none' | 'connecting' | 'open' | 'lost' | 'ended';
  /** The time of the last event or, where the connection is lost, up to which data was current: milliseconds since 1970. */
  since: number | undefined;
  /** The last poll that succeeded, as the last heartbeat says it: milliseconds since 1970. Undefined before a heartbeat. */
  checkedAt: number | undefined;
  /** Up to when the data was checked, while the gateway misses polls: milliseconds since 1970. */
  uncheckedSince: number | undefined;
  /** Whether the REST API fails. Then the page says how old its data is. */
  isStale: boolean;
}

const NAME = 'portico-dashboard.live';

const live = createStore<LiveState>({
  isOn: storedText(NAME) === 'on',
  isUnsupported: false,
  connection: 'none',
  since: undefined,
  checkedAt: undefined,
  uncheckedSince: undefined,
  isStale: false,
});

export const useLiveState = live.use;

export function updateLive(change: Partial<LiveState>): void {
  live.set({ ...live.get(), ...change });
}

/** Turns live views on or off, on this device. */
export function switchLive(isOn: boolean): void {
  updateLive({ isOn, isUnsupported: false });
  storeText(NAME, isOn ? 'on' : 'off');
}

/** To be called when the gateway has no live queries: pages read without. */
export function rejectLive(): void {
  switchLive(false);
  updateLive({ isUnsupported: true });
}
