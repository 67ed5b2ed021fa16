import type { Report } from '../types.ts';

/** Passes the report in a response, or in one part of it, to `onReport`; returns the response without it. */
export function takeReport<T extends { extensions?: unknown }>(
  part: T,
  onReport: (report: Report) => void,
): T {
  const { extensions, ...rest } = part as T & { extensions?: { upstream?: Report } };
  if (!extensions?.upstream) return part;
  const { upstream, ...others } = extensions;
  onReport(upstream);
  return (Object.keys(others).length > 0 ? { ...rest, extensions: others } : rest) as T;
}
