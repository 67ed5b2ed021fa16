import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import { startEventLoopDelay } from './event-loop.ts';

const MICROSECONDS = 1e6;

/**
 * Has the registry tell of the process: its time, its memory, and how late its event loop is. The names are those that
 * dashboards for Node know. To be stopped by what this returns.
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
    ['nodejs_heap_size_used_bytes', 'Heap that is used', () => process.memoryUsage().heapUsed],
    ['nodejs_heap_size_total_bytes', 'Heap that is taken', () => process.memoryUsage().heapTotal],
    [
      'nodejs_heap_size_limit_bytes',
      'How large the heap may grow',
      () => getHeapStatistics().heap_size_limit,
    ],
    ['nodejs_external_memory_bytes', 'Memory outside of the heap', () => process.memoryUsage().external],
    ['process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss()],
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
    help: 'Processor time of the process',
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
    help: 'When the process began, in seconds since 1970',
    registers,
    aggregator: 'min',
    collect() {
      this.set(startedAt);
    },
  });
  return delay.stop;
}
