import { timeOf } from '../../ui/format.ts';
import { createStore, storedText, storeText } from '../../ui/store.ts';

const NAME = 'portico-dashboard.newest-first';

const isNewestFirst = createStore(storedText(NAME) === 'on');

/** The order of messages that the reader has chosen. */
export const useNewestFirst = isNewestFirst.use;

/** Chooses the order of messages, on this device. */
export function setNewestFirst(chosen: boolean): void {
  isNewestFirst.set(chosen);
  storeText(NAME, chosen ? 'on' : 'off');
}

interface Timed {
  message: { createdAt: string | null };
}

/**
 * The messages of a conversation by their times, the newest first. One without a time stays with the message before
 * it, and of two with the same time the later one comes first.
 */
export function newestFirst<Item extends Timed>(items: readonly Item[]): Item[] {
  let latest = Number.NEGATIVE_INFINITY;
  const timed = items.map((item) => {
    latest = timeOf(item.message.createdAt) ?? latest;
    return { item, time: latest };
  });
  // The sort is stable, and keeps the reversed order of equal times.
  return timed
    .reverse()
    .sort((a, b) => (a.time === b.time ? 0 : b.time - a.time))
    .map(({ item }) => item);
}
