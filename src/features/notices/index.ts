export { passedFields, passedNotices, readNotices } from './fields.ts';
export { startSunset } from './sunset.ts';
