import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import type { Composition, GatewayParts, PipelineCore } from './composition.ts';
import {
  addressSettings,
  coreConfig,
  coreContradictions,
  introspectionSettings,
  listenerSettings,
  operationSettings,
  restApiSettings,
} from './config/core.ts';
import { createSettings, type SectionValues } from './config/settings.ts';
import { browser, browserConfig, browserSettings } from './features/browser/index.ts';
import { cacheConfig, cacheSettings, responseCache, staleData } from './features/cache/index.ts';
import { compiledOperations } from './features/compiled/index.ts';
import {
  createExplain,
  explainField,
  maxCallsField,
  maxCallsOf,
  serverTiming,
  timingConfig,
  timingField,
} from './features/explain/index.ts';
import {
  federation,
  federationConfig,
  federationSettings,
  federationText,
} from './features/federation/index.ts';
import { graphiql, graphiqlConfig, graphiqlSettings } from './features/graphiql/index.ts';
import { incrementalDelivery } from './features/incremental/index.ts';
import {
  liveAbsence,
  liveConfig,
  liveQueries,
  liveSchema,
  liveSettings,
  liveText,
} from './features/live/index.ts';
import { logsConfig, logsSettings, startLogs } from './features/logs/index.ts';
import {
  metricsConfig,
  metricsContradictions,
  metricsSettings,
  startMetrics,
} from './features/metrics/index.ts';
import { passedFields, passNotices, readNotices, startSunset } from './features/notices/index.ts';
import { redis, redisConfig, redisSettings } from './features/redis/index.ts';
import {
  startTraces,
  traceFields,
  tracesConfig,
  tracesContradictions,
  tracesSettings,
} from './features/traces/index.ts';
import {
  trustedConfig,
  trustedContradictions,
  trustedDocuments,
  trustedSettings,
} from './features/trusted/index.ts';
import { responseBounds } from './operation/bounds.ts';
import { checkArguments, createBudgetCheck, operationCheck } from './operation/checks.ts';
import { documentLimits, validation } from './operation/document.ts';
import { execution } from './operation/execute.ts';
import { observation } from './operation/observation.ts';
import { errorLocations, plainFields } from './operation/parts.ts';
import { rejectedOperation } from './operation/rejection.ts';
import { acceptedRequest, requestedOperation, requiredKey } from './operation/request.ts';
import { statusCodes } from './operation/status.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';

/* The composition: what each feature adds to the gateway, in the order that counts, one contribution a line.
   A `//` at the end of a first line keeps the formatter from joining a short list. */

/** What the schema may have beside the public contract. */
const schemaTexts = [
  liveText, //
  federationText,
];

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [
  checkConfig, //
  checkUpstream,
  printSchema(schemaTexts),
  plan,
  usage,
  mcp,
];

/** The settings by heading, in the order in which `portico --help` and docs/settings.md have them. */
const sections = {
  Server: {
    ...addressSettings,
    ...browserSettings,
    ...listenerSettings,
  },
  'REST API': restApiSettings,
  Cache: {
    ...cacheSettings,
    ...redisSettings,
  },
  Operations: operationSettings,
  'Live queries': liveSettings,
  Access: {
    ...graphiqlSettings,
    ...introspectionSettings,
    ...federationSettings,
    ...trustedSettings,
  },
  Telemetry: {
    ...logsSettings,
    ...metricsSettings,
    ...tracesSettings,
  },
};

/** What is read of the environment. */
export const settings = createSettings({
  sections,
  configFrom,
  contradictions: [
    // In the order in which their faults are reported.
    coreContradictions,
    trustedContradictions,
    metricsContradictions,
    tracesContradictions,
  ],
});

/** The configuration of the gateway with its features; durations in milliseconds, sizes in bytes. */
export type Config = ReturnType<typeof configFrom>;

function configFrom(values: SectionValues<typeof sections>) {
  const core = coreConfig(values);
  return {
    ...core,
    ...timingConfig(values),
    ...graphiqlConfig(values),
    ...trustedConfig(values),
    ...federationConfig(values),
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

/** Why the schema has no root type, by the kind of operation. */
const absences = {
  ...liveAbsence, //
};

/** How an operation is executed. A list is read from top to bottom, and a contribution is a line. */
export function operationParts(core: PipelineCore, config: Config) {
  const explain = createExplain(core);
  const trusted = trustedDocuments(core, config);
  const incremental = incrementalDelivery(core);
  const compiled = compiledOperations(core);
  const live = liveQueries(core, config, compiled.compiler);
  return {
    /** The steps of the full pipeline. */
    phases: [
      explain.header,
      ...trusted.phases,
      acceptedRequest,
      requiredKey(core, core.limits),
      documentLimits(core),
      requestedOperation,
      incremental.directives,
      validation(core.introspection, absences),
      operationCheck(checkArguments),
      // Before the check of the budget: a plan shows what is too expensive.
      explain.plan,
      explain.callLimit,
      operationCheck(createBudgetCheck(core)),
      ...live.phases,
      incremental.execution,
      execution,
      incremental.masked,
      rejectedOperation,
      staleData,
      explain.report,
      responseBounds(core.responseLimits, core.maxResponseBytes),
      // After all that may replace a response in parts by a complete one.
      incremental.format,
      errorLocations,
      ...(core.isObserved ? [observation] : []),
      statusCodes(),
      plainFields,
    ],
    /** What takes a request in place of the full pipeline. */
    lanes: [
      ...live.lanes, //
      ...compiled.lanes,
    ],
    /** What finds a document in another way than by its text. */
    sources: [
      ...trusted.sources, //
    ],
    /** What reads the query within an operation of another kind. */
    innerQueries: [
      ...live.innerQueries, //
    ],
    starts: [
      ...trusted.starts, //
    ],
    checks: [
      ...trusted.checks, //
    ],
    gauges: [
      ...compiled.gauges, //
      ...live.gauges,
    ],
    isPlan: explain.isPlan,
    live: live.queries,
  };
}

/** What a gateway consists of beside the core. A contribution is a line, and one that is off is an empty list. */
function compose(config: Config, onFault: (fault: Error) => void): GatewayParts {
  const shared = redis(config, onFault);
  /** The header fields that clients may send: those that are read, and those that they send by default. */
  const requestFields = [
    'content-type',
    'x-api-key',
    explainField,
    maxCallsField,
    'x-request-id',
    ...traceFields,
    'apollographql-client-name',
    'apollographql-client-version',
    'x-client-name',
    'x-client-version',
    'apollo-require-preflight',
  ];
  /** The header fields that a page may read. */
  const exposedFields = [
    'retry-after', //
    'x-request-id',
    ...passedFields,
    timingField,
  ];
  return {
    schema: [
      // Each also has what those before it add.
      ...federation(config),
      ...liveSchema(config),
    ],
    maxCallsOf,
    responseFields: [
      ...browser.fields(config, exposedFields), //
      passNotices,
      serverTiming(config),
    ],
    upstream: {
      /** Before the decoding. */
      outer: [
        ...responseCache(config, shared.store), //
        ...shared.outer,
      ],
      /** Before the transport. */
      inner: [
        ...shared.inner, //
      ],
      readNotices,
      close: shared.close,
    },
    routes: (options) => [
      ...graphiql.routes(config, options), //
      ...browser.routes(options, requestFields),
    ],
    operationParts: (core) => operationParts(core, config),
  };
}

/** The program. */
export const composition: Composition<Config> = {
  settings,
  schemaTexts,
  observers: [
    startLogs, //
    startTraces,
    startMetrics,
    startSunset,
  ],
  compose,
};
