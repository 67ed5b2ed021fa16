import type { LateFields } from '../../http/response.ts';
import { fieldsFrom } from './fields.ts';

export { passedFields, readNotices } from './fields.ts';
export { startSunset } from './sunset.ts';

/** Has a response say in its header fields what the REST API said in the calls for it. */
export const passedNotices: LateFields = ({ notices }) => (notices ? fieldsFrom(notices) : []);
