import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../src');

/**
 * The lists of `features.ts` whose order counts: how each begins, and its contributions, each with its
 * feature, if it is of one.
 */
const lists: Readonly<Record<string, string>> = {
  'phases: [': `
    explain.header                                                  explain
    ...trusted.phases                                               trusted
    acceptedRequest
    requiredKey(core, core.limits)
    documentLimits(core)
    requestedOperation
    incremental.directives                                          incremental
    validation(core.introspection, absences)
    operationCheck(checkArguments)
    explain.plan                                                    explain
    explain.callLimit                                               explain
    operationCheck(createBudgetCheck(core))
    ...live.phases                                                  live
    incremental.execution                                            incremental
    execution
    incremental.masked                                              incremental
    rejectedOperation
    staleData                                                       cache
    explain.report                                                  explain
    responseBounds(core.responseLimits, core.maxResponseBytes)
    incremental.format                                              incremental
    errorLocations
    ...(core.isObserved ? [observation] : [])
    statusCodes()
    plainFields`,
  'lanes: [': `
    ...live.lanes                                                   live
    ...compiled.lanes                                               compiled`,
  'sources: [': `
    ...trusted.sources                                              trusted`,
  'innerQueries: [': `
    ...live.innerQueries                                            live`,
  'outer: [': `
    ...responseCache(config, shared.cacheStore)                     cache`,
  'inner: [': `
    ...liveLayers(config)                                           live`,
  'schema: [': `
    ...federation(config)                                           federation
    ...liveSchema(config)                                           live`,
  'responseFields: [': `
    ...browser.fields(config, exposedFields)                        browser
    passNotices                                                     notices
    serverTiming(config)                                            explain`,
  'routes: (options) => [': `
    ...graphiql.routes(config, options)                             graphiql
    ...browser.routes(options, requestFields)                       browser`,
  'requestFields = [': `
    'content-type'
    'x-api-key'
    explainField                                                    explain
    maxCallsField                                                   explain
    'x-request-id'
    ...traceFields                                                  traces
    'apollographql-client-name'
    'apollographql-client-version'
    'x-client-name'
    'x-client-version'
    'apollo-require-preflight'`,
  'exposedFields = [': `
    'retry-after'
    'x-request-id'
    ...passedFields                                                 notices
    timingField                                                     explain`,
  'observers: [': `
    startLogs                                                       logs
    startTraces                                                     traces
    startMetrics                                                    metrics
    startSunset                                                     notices`,
};

it.each(Object.entries(lists))('has its contributions in their order: %s', (beginning, lines) => {
  expect(contributionsTo(beginning)).toEqual(expected(lines));
});

/** Without those of features that are deleted. */
function expected(lines: string): string[] {
  const rows = lines.trim().split('\n');
  return rows.flatMap((row) => {
    const [contribution = '', feature] = row.trim().split(/ {2,}/);
    return !feature || existsSync(join(source, 'features', feature)) ? [contribution] : [];
  });
}

/** The lines of a list, without comments. */
function contributionsTo(beginning: string): string[] {
  const text = readFileSync(join(source, 'features.ts'), 'utf8');
  const after = text.split(` ${beginning}\n`).slice(1);
  expect(after, 'lists that begin so').toHaveLength(1);
  const [list = ''] = (after[0] ?? '').split(/^ *\][,;]$/m);
  return list.split('\n').flatMap((line) => {
    const contribution = line
      .replace(/\/\/.*$/, '')
      .trim()
      .replace(/,$/, '');
    return contribution === '' ? [] : [contribution];
  });
}
