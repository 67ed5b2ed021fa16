import type { Composition, SetFields } from '../../composition.ts';
import type { Config } from '../../config.ts';
import { allowPreflight, createBrowserFields, createPreflightLog } from './cors.ts';

/** What browsers need: the fields by which a page may read a response (CORS), preflights, and HSTS. */
export const browser = {
  fields(edge: Config['edge']): SetFields[] {
    const setFields = createBrowserFields(edge);
    return setFields ? [setFields] : [];
  },

  routes({ log, secrets }) {
    const onRejected = createPreflightLog(log, secrets);
    return [(req, res) => allowPreflight(req, res, onRejected)];
  },
} satisfies Pick<Composition, 'routes'> & Record<string, unknown>;
