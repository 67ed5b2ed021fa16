const day = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** Milliseconds since 1970; undefined for what is no date, because the REST API does not specify the format of each. */
export function timeOf(text: string | null | undefined): number | undefined {
  const time = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** 18 Mar 2025; a text that is no date as it is. */
export function formatDay(text: string | null | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text || undefined : day.format(time);
}

/** 31 Mar 2024, 19:43 CET, in the time zone of the reader; a text that is no date as it is. */
export function formatMoment(text: string | null | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text || undefined : moment.format(time);
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** 56 minutes; 3 days. */
export function formatDuration(seconds: number): string {
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? units[3];
  const count = Math.round(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** 1 client; 3 clients. */
export const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The texts that are there. */
export const compact = (texts: readonly (string | null | undefined)[]) =>
  texts.filter((text): text is string => Boolean(text));
