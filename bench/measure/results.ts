import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { inBench } from '../paths.ts';
import type { WorkloadId } from '../workloads/workloads.ts';

/** The turns of one contender in one workload: in each list one figure for each cycle. */
export interface Series {
  workload: WorkloadId;
  contender: string;
  /** CPU microseconds per operation, of all threads. */
  cpuUs: number[];
  perSecond: number[];
  /** The most memory that it has held. */
  peakMb: number;
}

/** From the spawn of the process to its first response. */
export interface StartUp {
  round: number;
  contender: string;
  readyMs: number;
  rssMb: number;
}

/** The latencies of one contender in an open loop, in one round. */
export interface Latency {
  round: number;
  contender: string;
  p50Ms: number;
  p99Ms: number;
}

/** The measurements of a run on one Node. */
export interface Results {
  measuredOn: string;
  /** The commit of the tree; null if the tree was not clean. */
  commit: string | null;
  machine: string;
  /** The version of Node: `24.1.0`. */
  node: string;
  versions: string;
  contenders: { id: string; title: string }[];
  series: Series[];
  startUps: StartUp[];
  latencies: Latency[];
}

/** The recorded results, those of the newest Node first. */
export function readResults(folder = inBench('.')): Results[] {
  return readdirSync(folder)
    .filter((name) => /^results-\d+\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as Results)
    .sort((a, b) => majorOf(b) - majorOf(a));
}

/** The major version of Node of the results. */
export function majorOf({ node }: Results): number {
  return Number.parseInt(node, 10);
}

/** Writes results as JSON with one line for each row of a list, and numbers of at most five digits. */
export function writeResults(results: Results): void {
  const json = (value: unknown) =>
    JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? Number(inner.toPrecision(5)) : inner));
  const members = Object.entries(results).map(([name, value]) => {
    const rows = Array.isArray(value) ? value.map((row) => `\n    ${json(row)}`) : [];
    return `  ${json(name)}: ${Array.isArray(value) ? `[${rows}\n  ]` : json(value)}`;
  });
  writeFileSync(inBench(`results-${majorOf(results)}.json`), `{\n${members.join(',\n')}\n}\n`);
}
