import { readFileSync, writeFileSync } from 'node:fs';
import { inProject } from '../paths.ts';

/** Viewers who each ask every so many seconds for so many sites, and the forecasts of it in REST calls a minute. */
export interface Mix {
  viewers: number;
  everySeconds: number;
  latencyMs: number;
  sites: number;
  gateway: number;
  live: number;
}

/** REST calls a minute, as they were counted. */
export interface Measured {
  gateway: number;
  live: number;
}

const page = inProject('docs/explain.md');
const heading =
  '| viewers | every | latency | sites | alone | gateway | simulated | measured | live | simulated | measured |';
const column = { gateway: 5, gatewayMeasured: 7, live: 8, liveMeasured: 10 };

/** The mixes of the table in docs/explain.md, in its order. @throws Error if there is none */
export function readMixes(): Mix[] {
  return rowsOf(readFileSync(page, 'utf8')).map((row) => {
    const cells = cellsOf(row);
    const [viewers = 0, everySeconds = 0, latencyMs = 0, sites = 0] = cells.map((cell) =>
      Number.parseInt(cell, 10),
    );
    const forecastIn = (index: number) => Number(cells[index]);
    const mix = { viewers, everySeconds, latencyMs, sites };
    return { ...mix, gateway: forecastIn(column.gateway), live: forecastIn(column.live) };
  });
}

/** Writes what was measured into the table, one entry for each row. */
export function writeMeasured(measured: readonly Measured[]): void {
  let text = readFileSync(page, 'utf8');
  for (const [index, row] of rowsOf(text).entries()) {
    const cells = cellsOf(row);
    const { gateway = Number.NaN, live = Number.NaN } = measured[index] ?? {};
    cells[column.gatewayMeasured] = String(Math.round(gateway));
    cells[column.liveMeasured] = String(Math.round(live));
    text = text.replace(row, `| ${cells.join(' | ')} |`);
  }
  writeFileSync(page, text);
}

function rowsOf(text: string): string[] {
  const [, after] = text.split(`${heading}\n`);
  if (after === undefined) throw new Error(`${page} has no table of forecasts`);
  const [, ...rows] = after.split('\n\n')[0]?.split('\n') ?? [];
  return rows;
}

function cellsOf(row: string): string[] {
  return row.slice(2, -2).split(' | ');
}
