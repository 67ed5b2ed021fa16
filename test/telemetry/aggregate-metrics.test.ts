import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createAggregateMetrics } from '../../src/telemetry/metrics/aggregate-metrics.ts';

/** A worker with a counter, a histogram and a gauge, whose metrics are serialized as between processes. */
function startWorker(id: number) {
  const registers = [new Registry()];
  const counted = new Counter({ name: 'counted', help: 'c', registers });
  const timed = new Histogram({ name: 'timed', help: 't', buckets: [1], registers });
  const held = new Gauge({ name: 'held', help: 'h', registers });
  const read = async () => JSON.parse(JSON.stringify(await registers[0]?.getMetricsAsJSON()));
  return { id, counted, timed, held, snapshot: async () => ({ id, metrics: await read() }) };
}

it('keeps counters when a worker exits or does not respond, and sums gauges of running workers', async () => {
  const [first, second] = [startWorker(1), startWorker(2)];
  let snapshots = async () => [await first.snapshot(), await second.snapshot()];
  const sum = createAggregateMetrics(() => snapshots());
  const read = async () => {
    const lines = (await sum.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
  };

  for (const [n, { counted, timed, held }] of [first, second].entries()) {
    counted.inc(10);
    timed.observe(n);
    held.set(5);
  }
  expect(await read()).toMatchObject({ counted: '20', timed_count: '2', held: '10' });

  snapshots = async () => [await first.snapshot(), { id: 2, metrics: undefined as never }];
  first.counted.inc();
  expect(await read()).toMatchObject({ counted: '21', timed_count: '2', held: '10' });

  const third = startWorker(3);
  snapshots = async () => [await first.snapshot(), await third.snapshot()];
  expect(await read()).toMatchObject({ counted: '21', timed_count: '2', held: '5' });

  third.counted.inc();
  snapshots = async () => [await third.snapshot()];
  expect(await read()).toMatchObject({ counted: '22', timed_count: '2', held: '0' });
  expect(await read()).toMatchObject({ counted: '22', timed_count: '2', held: '0' });
});

it('limits the operation labels of all workers together, exited ones included', async () => {
  const startCounter = (id: number, names: readonly string[]) => {
    const registers = [new Registry()];
    const labelNames = ['operation'] as const;
    const operations = new Counter({ name: 'operations', help: 'o', labelNames, registers });
    const durations = new Histogram({ name: 'durations', help: 'd', labelNames, buckets: [1], registers });
    for (const operation of names) {
      operations.inc({ operation });
      durations.observe({ operation }, 2);
    }
    const read = async () => JSON.parse(JSON.stringify(await registers[0]?.getMetricsAsJSON()));
    return async () => ({ id, metrics: await read() });
  };
  let snapshots = async () => [await startCounter(1, ['A', '(anonymous)', '(other)'])()];
  const sum = createAggregateMetrics(() => snapshots(), 2);
  await sum.metrics();
  for (let id = 2; id < 20; id += 1) {
    snapshots = async () => [await startCounter(id, ['A', `B${id}`, `C${id}`])()];
    await sum.metrics();
  }
  const lines = (await sum.metrics()).split('\n').filter((line) => /^operations|^durations_count/.test(line));
  expect(lines.sort()).toEqual([
    'durations_count{operation="(anonymous)"} 1',
    'durations_count{operation="(other)"} 36',
    'durations_count{operation="A"} 19',
    'durations_count{operation="B2"} 1',
    'operations{operation="(anonymous)"} 1',
    'operations{operation="(other)"} 36',
    'operations{operation="A"} 19',
    'operations{operation="B2"} 1',
  ]);
});
