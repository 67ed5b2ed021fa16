import { type DocumentNode, execute, parse } from 'graphql';
import { contract } from '../../support/contract.ts';
import { withoutDeferredSiteParts } from './deferral.ts';
import type { Operation } from './operation.ts';
import { fieldResolver, type Reads } from './resolvers.ts';

export interface Outcome {
  data: unknown;
  errors: { path: string; code: unknown }[];
}

/**
 * The expected response and reads of an operation, computed from the full documents by graphql-js over the public
 * contract, without any code of the gateway.
 */
export interface Expectation {
  outcome: Outcome;
  /** All that the operation reads, whether it exists or not. */
  reads: Reads;
  /** The same without the fragments that are deferred until their site is loaded. */
  readsAtOnce: Reads;
}

/** `inParts`: whether the client accepts incremental responses, so that `@defer` takes effect. */
export function expectationOf({ text, variables }: Operation, inParts: boolean): Expectation {
  const document = parse(text);
  const reads = run(document, variables, true).reads;
  return {
    outcome: run(document, variables, false).outcome,
    reads,
    readsAtOnce: inParts ? run(withoutDeferredSiteParts(document, variables), variables, true).reads : reads,
  };
}

function run(document: DocumentNode, variableValues: Record<string, unknown>, everySiteExists: boolean) {
  const reads: Reads = { sites: [], conversations: new Set(), health: false };
  const result = execute({
    schema: contract,
    document,
    variableValues,
    rootValue: {},
    contextValue: { reads, everySiteExists },
    fieldResolver,
  });
  if (!('data' in result)) throw new Error(`The oracle has no result: ${JSON.stringify(result)}`);
  return { outcome: outcomeFrom(result), reads };
}

interface Result {
  data?: unknown;
  errors?: readonly { path?: readonly unknown[] | undefined; extensions?: Record<string, unknown> }[];
}

/** Comparable: plain JSON, with sorted errors. */
export function outcomeFrom({ data, errors = [] }: Result): Outcome {
  return {
    data: JSON.parse(JSON.stringify(data ?? null)),
    errors: errors
      .map(({ path, extensions }) => ({ path: path?.join('.') ?? '', code: extensions?.code }))
      .sort((a, b) => a.path.localeCompare(b.path)),
  };
}
