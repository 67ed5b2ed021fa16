import type { RouteOptions, SetFields } from '../../composition.ts';
import type { Route } from '../../http/handler.ts';
import { allowPreflight, createPreflightLog, setCorsFields } from './cors.ts';
import type { BrowserOptions } from './settings.ts';

export { browserConfig, browserSettings } from './settings.ts';

/** CORS: the fields by which a page may read a response, and preflights. */
export const browser = {
  fields({ edge }: { edge: BrowserOptions }, exposed: readonly string[]): SetFields[] {
    const fields = exposed.join(', ');
    if (edge.corsOrigins.length === 0) return [];
    return [({ headers }, res) => setCorsFields(res, headers.origin, edge.corsOrigins, fields)];
  },

  routes({ log, secrets }: RouteOptions, allowed: readonly string[]): Route[] {
    const onRejected = createPreflightLog(log, secrets);
    return [(req, res) => allowPreflight(req, res, allowed, onRejected)];
  },
};
