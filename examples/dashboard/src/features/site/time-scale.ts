const DAY_MS = 86_400_000;
/** The edges would cut what is nearer. In pixels. */
const HALF_LABEL = 18;

/** Maps times to positions on a line. */
export interface TimeScale {
  /** The position of a time, in milliseconds since 1970. */
  x(time: number): number;
  /** The first days of years, as many as there is room for. */
  ticks: { x: number; label: string }[];
}

/** A scale from the earliest to the latest of the times, with some room on both sides. `width` and positions are in pixels. */
export function createTimeScale(times: readonly number[], width: number): TimeScale {
  const [min, max] = [Math.min(...times), Math.max(...times)];
  const room = Math.max(60 * DAY_MS, (max - min) * 0.03);
  const [start, end] = [min - room, max + room];
  const x = (time: number) => ((time - start) / (end - start)) * width;

  const [first, last] = [new Date(start).getUTCFullYear() + 1, new Date(end).getUTCFullYear()];
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, width / 64)));
  const ticks = [];
  for (let year = first; year <= last; year += step)
    ticks.push({ x: x(Date.UTC(year, 0)), label: String(year) });
  return { x, ticks: ticks.filter((tick) => tick.x > HALF_LABEL && tick.x < width - HALF_LABEL) };
}
