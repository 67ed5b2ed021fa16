import { expect, it } from 'vitest';
import { settings } from '../../../src/features.ts';

const fault = 'ADMIN_PORT must not be PORT on the same host';

it.each([
  [{ ADMIN_PORT: '4000' }, [fault]],
  [{ ADMIN_PORT: '9090', PORT: '9090', HOST: '0.0.0.0', ADMIN_HOST: '0.0.0.0' }, [fault]],
  [{ ADMIN_PORT: '4000', HOST: '127.0.0.2' }, []],
  [{ ADMIN_PORT: '4001' }, []],
  [{ PORT: 'x' }, ['PORT must be a whole number from 0 to 65535']],
  [{ ADMIN_PORT: '0', PORT: '0' }, []],
])('reads the port of the metrics beside that of the gateway: %j', (env, faults) => {
  expect(settings.configFromEnv(env).faults ?? []).toEqual(faults);
});
