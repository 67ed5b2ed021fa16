import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import { startEventLoopDelay } from './event-loop.ts';

const MICROSECONDS = 1e6;

/**
 * Adds the metrics of the process: CPU time, memory, event loop delay, with the names of common Node dashboards. Returns a
 * function that stops the measurement.
 */
export function startRuntimeGauges(registry: Registry): () => void {
  const registers = [registry];
  const delay = startEventLoopDelay();
  const delays = [
    ['nodejs_eventloop_lag_p50_seconds', 'Median delay', () => delay.percentile(50)],
    ['nodejs_eventloop_lag_p99_seconds', '99th percentile of the delay', () => delay.percentile(99)],
    ['nodejs_eventloop_lag_max_seconds', 'Longest delay', delay.max],
  ] as const;
  for (const [name, help, read] of delays) {
    new Gauge({
      name,
      help: `${help} of the event loop in the last one to two minutes`,
      registers,
      aggregator: 'max',
      collect() {
        this.set(read());
      },
    });
  }
  const memory = [
    ['nodejs_heap_size_used_bytes', 'Heap in use', () => process.memoryUsage().heapUsed],
    ['nodejs_heap_size_total_bytes', 'Heap allocated', () => process.memoryUsage().heapTotal],
    ['nodejs_heap_size_limit_bytes', 'Heap size limit', () => getHeapStatistics().heap_size_limit],
    ['nodejs_external_memory_bytes', 'Memory outside the V8 heap', () => process.memoryUsage().external],
    ['process_resident_memory_bytes', 'Resident memory of the process', () => process.memoryUsage.rss()],
  ] as const;
  for (const [name, help, read] of memory) {
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'sum',
      collect() {
        this.set(read());
      },
    });
  }
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / MICROSECONDS);
    },
  });
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process, in seconds since the Unix epoch',
    registers,
    aggregator: 'min',
    collect() {
      this.set(startedAt);
    },
  });
  return delay.stop;
}
