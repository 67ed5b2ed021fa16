import { renameSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { GCProfiler, getHeapStatistics } from 'node:v8';

// Loaded into a contender before its own code. Records from one SIGUSR2 to the next what BENCH_INSTRUMENT names, into the
// file BENCH_RECORDING.

/** What V8 allocated on its heap. */
export interface HeapSample {
  allocatedBytes: number;
}

interface Instrument {
  start(): Promise<void>;
  stop(): Promise<unknown>;
}

const SAMPLING_INTERVAL_US = 250;

/** A CPU profile. */
function createCpuInstrument(): Instrument {
  const session = new Session();
  session.connect();
  return {
    async start() {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
      await session.post('Profiler.start');
    },
    async stop(): Promise<Profiler.Profile> {
      return (await session.post('Profiler.stop')).profile;
    },
  };
}

/** Sums by how much the used heap grows from the end of each garbage collection to the start of the next one. */
function createHeapInstrument(): Instrument {
  const profiler = new GCProfiler();
  let usedAtStart = 0;
  return {
    async start() {
      usedAtStart = getHeapStatistics().used_heap_size;
      profiler.start();
    },
    async stop(): Promise<HeapSample> {
      const usedAtEnd = getHeapStatistics().used_heap_size;
      let allocatedBytes = 0;
      let usedBefore = usedAtStart;
      for (const { beforeGC, afterGC } of profiler.stop().statistics) {
        allocatedBytes += beforeGC.heapStatistics.usedHeapSize - usedBefore;
        usedBefore = afterGC.heapStatistics.usedHeapSize;
      }
      return { allocatedBytes: allocatedBytes + usedAtEnd - usedBefore };
    },
  };
}

const file = process.env.BENCH_RECORDING ?? '';
const instrument = process.env.BENCH_INSTRUMENT === 'heap' ? createHeapInstrument() : createCpuInstrument();

process.once('SIGUSR2', async () => {
  process.once('SIGUSR2', async () => {
    // The reader finds the whole file or none.
    writeFileSync(`${file}.part`, JSON.stringify(await instrument.stop()));
    renameSync(`${file}.part`, file);
  });
  await instrument.start();
});
