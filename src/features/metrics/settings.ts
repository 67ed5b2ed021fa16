import type { Values } from '../../config/declaration.ts';
import { host, optionalWholeNumber } from '../../config/kinds.ts';

export const metricsSettings = {
  ADMIN_PORT: optionalWholeNumber(0, 65_535)
    .optional()
    .describe(
      'Port of `/metrics` and of the probes `/livez` and `/readyz`; 0 picks a free one; unset: no metrics',
    ),
  ADMIN_HOST: host().default('127.0.0.1').describe('Address that `ADMIN_PORT` listens on'),
};

export function metricsConfig(values: Values<typeof metricsSettings>) {
  const port = values.ADMIN_PORT;
  return {
    /** Null: no metrics. */
    admin: port === undefined ? null : { host: values.ADMIN_HOST, port },
  };
}
