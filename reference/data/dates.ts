const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const minutesAfter = (from: Date, minutes: number) => new Date(from.getTime() + minutes * MINUTE_MS);
export const daysAfter = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS);

/** 2024-03-09T16:05:00Z */
export const toDateTime = (time: Date) => time.toISOString().replace('.000Z', 'Z');

/** 2024-03-09 */
export const toDate = (time: Date) => time.toISOString().slice(0, 10);
