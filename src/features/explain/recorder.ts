import type { GraphQLResolveInfo } from 'graphql';
import type { LoadObserver, OperationCalls } from '../../loaders.ts';
import type { UpstreamCall } from '../../upstream/caller.ts';
import { pathOf, type Relation, type ResourceId } from '../../upstream/resources.ts';

/** A REST call that has ended, and when it began (`performance.now()`). */
interface RecordedCall {
  call: UpstreamCall;
  startedAtMs: number;
}

/** The fields that needed a REST call so far, and the relations that it returns. */
interface Demand {
  include: readonly Relation[];
  fields: Set<GraphQLResolveInfo>;
}

const noDemand: Demand = { include: [], fields: new Set() };

const recorders = new WeakMap<OperationCalls, LoadRecorder>();

/** The recorder of an operation, which records from the first time that it is asked for. */
export function recorderOf(calls: OperationCalls): LoadRecorder {
  const known = recorders.get(calls);
  if (known) return known;
  const recorder = new LoadRecorder();
  recorders.set(calls, recorder);
  calls.observe(recorder);
  return recorder;
}

/**
 * Records the REST calls of one operation and the fields that needed each, for its report. Within an
 * operation a path is requested once, retries apart, so that the path identifies the call.
 */
export class LoadRecorder implements LoadObserver {
  readonly startedAtMs = performance.now();
  /** In the order of their ends. */
  readonly calls: RecordedCall[] = [];
  readonly #demands = new Map<string, Demand>();

  onDemand(resource: ResourceId, include: readonly Relation[], field: GraphQLResolveInfo | undefined): void {
    const path = pathOf(resource, include);
    const demand = this.#demands.get(path) ?? { include, fields: new Set() };
    this.#demands.set(path, demand);
    if (field) demand.fields.add(field);
  }

  onDegraded(resource: ResourceId, include: readonly Relation[]): void {
    for (const field of this.demandFor(pathOf(resource, include)).fields) this.onDemand(resource, [], field);
  }

  onCall(call: UpstreamCall, startedAtMs: number): void {
    this.calls.push({ call, startedAtMs });
  }

  demandFor(path: string): Demand {
    return this.#demands.get(path) ?? noDemand;
  }
}
