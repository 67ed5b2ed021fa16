import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import type { Composition } from './composition.ts';
import { browser } from './features/browser/index.ts';
import { type CacheStore, responseCache } from './features/cache/index.ts';
import { compiledOperations } from './features/compiled/index.ts';
import { createExplain } from './features/explain/index.ts';
import { graphiql } from './features/graphiql/index.ts';
import { liveQueries } from './features/live/index.ts';
import { redis } from './features/redis/index.ts';
import { trustedDocuments } from './features/trusted/index.ts';
import { checkArguments, createBudgetCheck, operationCheck } from './operation/checks.ts';
import { documentLimits, validation } from './operation/document.ts';
import { execution } from './operation/execute.ts';
import {
  errorLocations,
  maskedIncremental,
  observation,
  plainFields,
  rejectedOperation,
  responseBounds,
  staleData,
} from './operation/finish.ts';
import type { PipelineCore } from './operation/pipeline.ts';
import { acceptedRequest, incrementalFormat, requestedOperation, requiredKey } from './operation/request.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';
import { type Layer, revalidation } from './upstream/call.ts';
import type { UpstreamParts } from './upstream/client.ts';

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [
  checkConfig, //
  checkUpstream,
  printSchema,
  plan,
  usage,
  mcp,
];

/** How an operation is executed. A list is read from top to bottom, and a contribution is a line. */
export function operations(core: PipelineCore) {
  const explain = createExplain(core);
  const trusted = trustedDocuments(core);
  const compiled = compiledOperations(core);
  const live = liveQueries(core, compiled.compiler);
  return {
    /** The steps of the full pipeline. */
    phases: [
      explain.header,
      ...trusted.phases,
      acceptedRequest,
      requiredKey(core, core.limits),
      documentLimits(core.limits),
      requestedOperation,
      useDeferStream() as object,
      validation(core.introspection),
      operationCheck(checkArguments),
      // Before the check of the budget: a plan shows what is too expensive.
      explain.plan,
      operationCheck(createBudgetCheck(core)),
      ...live.phases,
      execution,
      maskedIncremental(core.mask),
      rejectedOperation,
      staleData,
      explain.report,
      responseBounds(core.responseLimits, core.maxResponseBytes),
      // After all that may replace a response in parts by a complete one.
      incrementalFormat,
      errorLocations,
      ...(core.isObserved ? [observation] : []),
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
    live: live.queries,
  };
}

/** What gateways share. */
interface Shared extends Omit<UpstreamParts, 'outer' | 'inner'> {
  cacheStore?: () => CacheStore;
}

/** What is on the way of a REST call; a null is off. */
function upstream(given: Parameters<Composition['upstream']>[0]): UpstreamParts {
  const shared: Shared = {
    ...redis(given),
  };
  const outer: (Layer | null)[] = [
    // Before the decoding.
    responseCache(given, shared.cacheStore),
  ];
  const inner: (Layer | null)[] = [
    // Before the transport.
    given.live && revalidation,
  ];
  const isOn = (layer: Layer | null) => layer !== null;
  return { ...shared, outer: outer.filter(isOn), inner: inner.filter(isOn) };
}

/** What a gateway consists of beside the core. A contribution is a line, and one that is off is an empty list. */
export const composition: Composition = {
  responseFields: ({ edge }) => [
    ...browser.fields(edge), //
  ],
  routes: (options) => [
    ...graphiql.routes(options), //
    ...browser.routes(options),
  ],
  operations,
  upstream,
};
