import { createStore, store, stored } from '../../ui/store.ts';
import type { Heartbeat } from './heartbeats.ts';

/** The switch of the header, and how the stream of the page is. */
export interface LiveState {
  isOn: boolean;
  /** The gateway has rejected live queries. */
  isUnsupported: boolean;
  /** `none`: the page has no stream; `lost`: it connects again by itself; `ended`: nothing more comes. */
  connection: 'none' | 'connecting' | 'open' | 'lost' | 'ended';
  /** Up to when the data is current, in milliseconds since 1970; undefined if nothing was read. */
  checkedAt: number | undefined;
  /** Whether polls have failed since. */
  isLate: boolean;
  /** When it connects again, in milliseconds since 1970. */
  retryAt: number | undefined;
}

const NAME = 'portico-dashboard.live';
const closed = { connection: 'none', checkedAt: undefined, isLate: false, retryAt: undefined } as const;

const live = createStore<LiveState>({ isOn: stored(NAME, false), isUnsupported: false, ...closed });

export const useLiveState = live.use;

export const updateLive = (change: Partial<LiveState>) => live.set({ ...live.get(), ...change });

/** To be called when the page has no stream any more. */
export const closeLive = () => updateLive(closed);

/** Turns live views on or off, on this device. */
export function switchLive(isOn: boolean, isUnsupported = false): void {
  updateLive({ ...closed, isOn, isUnsupported });
  store(NAME, isOn);
}

/** To be called with each heartbeat: from two intervals of a poll on, polls have failed. */
export function noteHeartbeat({ ageSeconds, intervals }: Heartbeat): void {
  if (live.get().checkedAt === undefined) return;
  updateLive({ checkedAt: Date.now() - ageSeconds * 1000, isLate: intervals > 1 });
}
