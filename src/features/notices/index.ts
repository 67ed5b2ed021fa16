import type { CallsSoFar, GatewayResponse } from '../../http/response.ts';
import { fieldsFrom } from './fields.ts';

export { passedFields, readNotices } from './fields.ts';
export { startSunset } from './sunset.ts';

/** Has a response say in its header fields what the REST API said in the calls for it. */
export function passNotices(_: unknown, res: GatewayResponse): void {
  res.addLateFields(noticesOf);
}

function noticesOf({ notices }: CallsSoFar) {
  return notices ? fieldsFrom(notices) : [];
}
