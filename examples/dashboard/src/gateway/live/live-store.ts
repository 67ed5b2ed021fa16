import { useSyncExternalStore } from 'react';

/** The switch of the header, and how the stream of the page is. */
export interface LiveState {
  isOn: boolean;
  /** Whether the gateway has rejected live queries. */
  isUnsupported: boolean;
  /** `none`: the page has no stream; `lost`: it connects again by itself; `ended`: nothing more comes. */
  connection: 'none' | 'connecting' | 'open' | 'lost' | 'ended';
  /** The time of the last event or, where the connection is lost, up to which data was current: milliseconds since 1970. */
  since: number | undefined;
  /** Up to when the data was checked, while the gateway misses polls: milliseconds since 1970. */
  uncheckedSince: number | undefined;
  /** Whether the REST API fails. Then the page says how old its data is. */
  isStale: boolean;
}

const NAME = 'portico-dashboard.live';

let state: LiveState = {
  isOn: wasOn(),
  isUnsupported: false,
  connection: 'none',
  since: undefined,
  uncheckedSince: undefined,
  isStale: false,
};
const listeners = new Set<() => void>();

export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribe, () => state);
}

export function updateLive(change: Partial<LiveState>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

/** Turns live views on or off, on this device. */
export function switchLive(isOn: boolean): void {
  updateLive({ isOn, isUnsupported: false });
  try {
    localStorage.setItem(NAME, isOn ? 'on' : 'off');
  } catch {
    // A browser may permit no storage; then the choice lasts as long as the page.
  }
}

/** To be called when the gateway has no live queries: pages read without. */
export function rejectLive(): void {
  switchLive(false);
  updateLive({ isUnsupported: true });
}

function wasOn(): boolean {
  try {
    return localStorage.getItem(NAME) === 'on';
  } catch {
    return false;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
