import type { RouteOptions, SetFields } from '../../composition.ts';
import type { Route } from '../../http/handler.ts';
import { allowPreflight, createBrowserFields, createPreflightLog } from './cors.ts';
import type { BrowserOptions } from './settings.ts';

export { browserConfig, browserSettings } from './settings.ts';

/** What browsers need: the fields by which a page may read a response (CORS), preflights, and HSTS. */
export const browser = {
  fields({ edge }: { edge: BrowserOptions }, exposed: readonly string[]): SetFields[] {
    const setFields = createBrowserFields(edge, exposed.join(', '));
    return setFields ? [setFields] : [];
  },

  routes({ log, secrets }: RouteOptions, allowed: readonly string[]): Route[] {
    const onRejected = createPreflightLog(log, secrets);
    return [(req, res) => allowPreflight(req, res, allowed, onRejected)];
  },
};
