import { checkConfig } from './command/check.ts';
import { printSchema } from './command/print-schema.ts';
import type { Composition, GatewayParts, PipelineCore } from './composition.ts';
import * as core from './config/core.ts';
import { createSettings, type SectionValues } from './config/settings.ts';
import { browserConfig, browserSettings, corsFields, preflights } from './features/browser/index.ts';
import { cacheConfig, cacheSettings, responseCache, staleData } from './features/cache/index.ts';
import { compiledOperations } from './features/compiled/index.ts';
import * as explain from './features/explain/index.ts';
import * as subgraph from './features/federation/index.ts';
import { graphiqlConfig, graphiqlRoutes, graphiqlSettings } from './features/graphiql/index.ts';
import { incrementalDelivery } from './features/incremental/index.ts';
import * as live from './features/live/index.ts';
import { logsConfig, logsSettings, startLogs } from './features/logs/index.ts';
import * as metrics from './features/metrics/index.ts';
import { passedFields, passedNotices, readNotices, startSunset } from './features/notices/index.ts';
import { redis, redisConfig, redisSettings } from './features/redis/index.ts';
import * as traces from './features/traces/index.ts';
import * as trusted from './features/trusted/index.ts';
import { acceptedRequest } from './operation/accept.ts';
import { operationBudget } from './operation/checks.ts';
import { validDocument } from './operation/document.ts';
import { execution } from './operation/execute.ts';
import { observation } from './operation/observation.ts';
import { rejectedOperation } from './operation/rejection.ts';
import { requiredKey } from './operation/required-key.ts';
import { responseBounds } from './operation/response-bounds.ts';
import { errorLocations, plainFields } from './operation/results.ts';
import { statusCodes } from './operation/status.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';

/* The composition: what each feature adds to the gateway, in the order that counts. */

const schemaTexts = [live.liveText, subgraph.federationText];

/** The commands, in the order in which `portico --help` lists them. */
export const commands = [checkConfig, checkUpstream, printSchema(schemaTexts), plan, usage, mcp] as const;

/** The settings by heading, in the order in which `portico --help` and docs/settings.md have them. */
const sections = {
  Server: { ...core.addressSettings, ...browserSettings, ...core.listenerSettings },
  'REST API': core.restApiSettings,
  Cache: { ...cacheSettings, ...redisSettings },
  Operations: core.operationSettings,
  'Live queries': live.liveSettings,
  Access: {
    ...graphiqlSettings,
    ...core.introspectionSettings,
    ...subgraph.federationSettings,
    ...trusted.trustedSettings,
  },
  Telemetry: { ...logsSettings, ...metrics.metricsSettings, ...traces.tracesSettings },
};

/** The settings of the gateway, from the environment. Contradictions are reported in this order. */
export const settings = createSettings(
  sections,
  configFrom,
  [core.coreContradictions, trusted.trustedContradictions],
  traces.tracesWarnings,
);

/** The configuration of the gateway with its features; durations in milliseconds, sizes in bytes. */
export type Config = ReturnType<typeof configFrom>;

function configFrom(values: SectionValues<typeof sections>) {
  const { edge, upstream, ...rest } = core.coreConfig(values);
  return {
    ...rest,
    ...explain.timingConfig(values),
    ...graphiqlConfig(values),
    ...trusted.trustedConfig(values),
    ...subgraph.federationConfig(values),
    ...live.liveConfig(values),
    edge: { ...edge, ...browserConfig(values) },
    upstream: { ...upstream, ...cacheConfig(values), ...redisConfig(values) },
    telemetry: { ...logsConfig(values), ...metrics.metricsConfig(values), ...traces.tracesConfig(values) },
  };
}

/** How an operation is executed. The order of phases counts within one hook of Yoga. */
export function operationParts(core: PipelineCore, config: Config) {
  const documents = trusted.trustedDocuments(core, config);
  const incremental = incrementalDelivery(core);
  const compiled = compiledOperations(core);
  const polled = live.liveQueries(core, config, compiled.compiler);
  return {
    phases: [
      explain.explainHeader,
      explain.maxCallsHeader,
      ...documents.phases,
      acceptedRequest,
      requiredKey(core),
      validDocument(core),
      // Before the check of the budget: a plan shows what is too expensive.
      explain.explainPlan(core),
      explain.callLimit(core),
      operationBudget(core),
      ...polled.phases,
      incremental.execution,
      execution,
      incremental.masked,
      rejectedOperation,
      staleData,
      explain.explainReport,
      responseBounds(core),
      // After all that may replace a response in parts by a complete one.
      incremental.format,
      errorLocations,
      ...(core.isObserved ? [observation] : []),
      statusCodes(),
      plainFields,
    ],
    lanes: [...polled.lanes, ...compiled.lanes],
    sources: documents.sources,
    rules: incremental.rules,
    innerQueryOf: polled.innerQueryOf,
    starts: documents.starts,
    checks: documents.checks,
    gauges: [...compiled.gauges, ...polled.gauges],
    isPlan: explain.isPlan,
  };
}

/** Returns the parts of a gateway beside the core; a feature that is off adds nothing. */
function compose(config: Config, onFault: (fault: Error) => void): GatewayParts {
  const shared = redis(config, onFault);
  /** The header fields that clients may send: those that are read, and those that they send by default. */
  const requestFields = [
    'content-type',
    'x-api-key',
    explain.explainField,
    explain.maxCallsField,
    'x-request-id',
    ...traces.traceFields,
    // Browsers' own libraries of OpenTelemetry and Sentry add them to requests for other origins.
    'baggage',
    'sentry-trace',
    'apollographql-client-name',
    'apollographql-client-version',
    'x-client-name',
    'x-client-version',
    'apollo-require-preflight',
  ];
  /** The header fields that a page may read. */
  const exposedFields = ['retry-after', 'x-request-id', ...passedFields, explain.timingField];
  return {
    // Each extends the schema that those before it have made.
    schema: [...subgraph.federation(config), ...live.liveSchema(config)],
    maxCallsOf: explain.maxCallsOf,
    responseFields: corsFields(config.edge, exposedFields),
    lateFields: [passedNotices, explain.serverTiming(config)],
    upstream: {
      outer: [...responseCache(config, shared.store), ...shared.outer],
      inner: shared.inner,
      readNotices,
      close: shared.close,
    },
    routes: (options) => [...graphiqlRoutes(config, options), preflights(options, requestFields)],
    operationParts: (core) => operationParts(core, config),
  };
}

export const composition: Composition<Config> = {
  settings,
  schemaTexts,
  observers: [startLogs, traces.startTraces, metrics.startMetrics, startSunset],
  compose,
};
