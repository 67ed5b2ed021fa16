import type { GatewayResponse } from '../../http/response.ts';
import type { StartObserver } from '../../observers/observer.ts';
import { fieldsFrom } from './fields.ts';
import { createSunset } from './sunset.ts';

export { noticeFields, RESERVED_SHARE } from './fields.ts';

/** Has a response say in its header fields what the REST API said in the calls for it. */
export function passNotices(_: unknown, res: GatewayResponse): void {
  res.lateFields = lateFields;
}

function lateFields({ noticesFrom }: GatewayResponse) {
  return noticesFrom?.notices ? fieldsFrom(noticesFrom.notices) : [];
}

/** Offers the metrics when the REST API ends. */
export const startSunset: StartObserver<unknown> = async () => createSunset();
