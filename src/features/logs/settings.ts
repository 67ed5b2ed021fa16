import type { Values } from '../../config/declaration.ts';
import { oneOf } from '../../config/kinds.ts';

export const logsSettings = {
  LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error', 'silent')
    .default('info')
    .describe(
      '`info`: one line per operation; `warn`: upstream failures; `error`: faults of the gateway; also `debug`, `silent`',
    ),
};

export function logsConfig(values: Values<typeof logsSettings>) {
  return { logLevel: values.LOG_LEVEL };
}
