import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import {
  addressSettings,
  coreConfig,
  coreContradictions,
  introspectionSettings,
  listenerSettings,
  operationSettings,
  restApiSettings,
} from './config/core.ts';
import type { Values } from './config/declaration.ts';
import { createSettings } from './config.ts';
import { browserConfig, browserSettings } from './features/browser/index.ts';
import { cacheConfig, cacheMemorySettings, cacheSettings } from './features/cache/index.ts';
import { compiledConfig, compiledSettings } from './features/compiled/index.ts';
import { federationConfig, federationSettings } from './features/federation/index.ts';
import { graphiqlConfig, graphiqlSettings } from './features/graphiql/index.ts';
import { liveConfig, liveSettings } from './features/live/index.ts';
import { logsConfig, logsSettings } from './features/logs/index.ts';
import { metricsConfig, metricsSettings } from './features/metrics/index.ts';
import { redisConfig, redisSettings } from './features/redis/index.ts';
import { tracesConfig, tracesContradictions, tracesSettings } from './features/traces/index.ts';
import { trustedConfig, trustedContradictions, trustedSettings } from './features/trusted/index.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';

/* The composition: what each feature adds to the gateway, in the order that counts, one contribution a line. */

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [checkConfig, checkUpstream, printSchema, plan, usage, mcp];

const server = {
  ...addressSettings,
  ...browserSettings,
  ...listenerSettings,
};

const cache = {
  ...cacheSettings,
  ...redisSettings,
  ...cacheMemorySettings,
};

const operations = {
  ...operationSettings,
  ...compiledSettings,
};

const access = {
  ...graphiqlSettings,
  ...introspectionSettings,
  ...federationSettings,
  ...trustedSettings,
};

const telemetry = {
  ...logsSettings,
  ...metricsSettings,
  ...tracesSettings,
};

const declared = {
  ...server,
  ...restApiSettings,
  ...cache,
  ...operations,
  ...liveSettings,
  ...access,
  ...telemetry,
};

/** The settings in the order in which `portico --help` and docs/settings.md have them, and what is read of them. */
export const settings = createSettings({
  sections: [
    { heading: 'Server', settings: server },
    { heading: 'REST API', settings: restApiSettings },
    { heading: 'Cache', settings: cache },
    { heading: 'Operations', settings: operations },
    { heading: 'Live queries', settings: liveSettings },
    { heading: 'Access', settings: access },
    { heading: 'Telemetry', settings: telemetry },
  ],
  declared,
  configFrom,
  contradictions: [
    // In the order in which their faults are reported.
    coreContradictions,
    trustedContradictions,
    tracesContradictions,
  ],
});

/** The configuration of the gateway with its features; durations in milliseconds, sizes in bytes. */
export type Config = ReturnType<typeof configFrom>;

function configFrom(values: Values<typeof declared>) {
  const core = coreConfig(values);
  return {
    ...core,
    ...graphiqlConfig(values),
    ...trustedConfig(values),
    ...federationConfig(values),
    ...compiledConfig(values),
    ...liveConfig(values),
    edge: {
      ...core.edge,
      ...browserConfig(values),
    },
    upstream: {
      ...core.upstream,
      ...cacheConfig(values),
      ...redisConfig(values),
    },
    telemetry: {
      ...logsConfig(values),
      ...metricsConfig(values),
      ...tracesConfig(values),
    },
  };
}
