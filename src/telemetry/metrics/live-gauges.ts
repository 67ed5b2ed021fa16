import type { Registry } from 'prom-client';
import type { LiveStats } from '../../operation/live/live.ts';
import { createScrapedMetrics } from './scraped.ts';

type Read = (stats: LiveStats) => number;

const gauges: readonly (readonly [name: string, help: string, read: Read])[] = [
  ['portico_live_streams', 'Open streams of live queries', ({ streams }) => streams],
  [
    'portico_live_groups',
    'Different live queries: streams of one key with equal operations are one',
    ({ groups }) => groups,
  ],
  ['portico_live_polls', 'Sites and conversations that are polled, by key', ({ polls }) => polls],
  [
    'portico_live_stretched_keys',
    'Keys that are polled less often than asked for, because of their limits',
    ({ stretchedKeys }) => stretchedKeys,
  ],
  [
    'portico_live_kept_bytes',
    'Responses, results and documents that live queries keep',
    ({ keptBytes }) => keptBytes,
  ],
];

const counters: readonly (readonly [name: string, help: string, read: Read])[] = [
  ['portico_live_poll_requests_total', 'REST calls that polls sent', ({ requests }) => requests],
  ['portico_live_changes_total', 'Polls that brought other data than before', ({ changes }) => changes],
  ['portico_live_events_total', 'Results that were sent, one for each stream', ({ events }) => events],
];

/** Adds the metrics of live queries. */
export function addLiveGauges(registry: Registry, stats: () => LiveStats | undefined): void {
  const { addGauge, addCounter } = createScrapedMetrics(registry);
  const current = (read: Read) => () => {
    const live = stats();
    return live ? read(live) : 0;
  };
  for (const [name, help, read] of gauges) addGauge(name, help, 'sum', current(read));
  for (const [name, help, read] of counters) addCounter(name, help, current(read));
}
