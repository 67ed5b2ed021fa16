import { getHeapStatistics } from 'node:v8';
import type { Registry } from 'prom-client';
import { droppedLines } from '../logs/destination.ts';
import { startEventLoopDelay } from './event-loop.ts';
import { createScrapedMetrics } from './scraped.ts';

const MICROSECONDS = 1e6;

/**
 * Adds the metrics of the process: CPU time, memory and event loop delay, with the names of common Node dashboards, and its
 * log. Returns a function that stops the measurement.
 */
export function startRuntimeGauges(registry: Registry): () => void {
  const { addGauge, addCounter } = createScrapedMetrics(registry);
  const delay = startEventLoopDelay();
  const delays = [
    ['nodejs_eventloop_lag_p50_seconds', 'Median delay', () => delay.percentile(50)],
    ['nodejs_eventloop_lag_p99_seconds', '99th percentile of the delay', () => delay.percentile(99)],
    ['nodejs_eventloop_lag_max_seconds', 'Longest delay', delay.max],
  ] as const;
  for (const [name, help, read] of delays) {
    addGauge(name, `${help} of the event loop in the last one to two minutes`, 'max', read);
  }
  const memory = [
    ['nodejs_heap_size_used_bytes', 'Heap in use', () => process.memoryUsage().heapUsed],
    ['nodejs_heap_size_total_bytes', 'Heap allocated', () => process.memoryUsage().heapTotal],
    ['nodejs_heap_size_limit_bytes', 'Heap size limit', () => getHeapStatistics().heap_size_limit],
    ['nodejs_external_memory_bytes', 'Memory outside the V8 heap', () => process.memoryUsage().external],
    ['process_resident_memory_bytes', 'Resident memory of the process', () => process.memoryUsage.rss()],
  ] as const;
  for (const [name, help, read] of memory) addGauge(name, help, 'sum', read);
  addCounter('process_cpu_seconds_total', 'CPU time of the process', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROSECONDS;
  });
  addCounter(
    'portico_log_lines_dropped_total',
    'Log lines dropped because standard error could not be written or was read too slowly',
    droppedLines,
  );
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  addGauge(
    'process_start_time_seconds',
    'Start time of the process, in seconds since the Unix epoch',
    'min',
    () => startedAt,
  );
  return delay.stop;
}
