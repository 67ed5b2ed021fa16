import { Counter, Gauge, type Registry } from 'prom-client';

/** Adds metrics whose values are read at each scrape. */
export interface ScrapedMetrics {
  /** `aggregator`: what the gauges of several workers are together. */
  addGauge(name: string, help: string, aggregator: 'sum' | 'min' | 'max', read: () => number): void;
  addCounter(name: string, help: string, read: () => number): void;
}

export function createScrapedMetrics(registry: Registry): ScrapedMetrics {
  const registers = [registry];
  return {
    addGauge(name, help, aggregator, read) {
      new Gauge({
        name,
        help,
        registers,
        aggregator,
        collect() {
          this.set(read());
        },
      });
    },
    addCounter(name, help, read) {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
  };
}
