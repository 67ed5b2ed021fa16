import type { GraphQLResolveInfo } from 'graphql';
import type { UpstreamCall } from '../upstream/caller.ts';
import type { Relation } from '../upstream/resources.ts';
import { pathOf } from '../upstream/target.ts';

type Resource = Parameters<typeof pathOf>[0];

/** A REST call that has ended, and when it began (`performance.now()`). */
export interface RecordedCall {
  call: UpstreamCall;
  startedAtMs: number;
}

/** The fields that needed a REST call so far, and the relations that it returns. */
export interface Demand {
  include: readonly Relation[];
  fields: Set<GraphQLResolveInfo>;
}

const noDemand: Demand = { include: [], fields: new Set() };

/**
 * Records the REST calls of one operation and the fields that needed each, for its report. Within an operation a path is
 * requested once, retries apart, so that the path identifies the call.
 */
export class LoadRecorder {
  readonly startedAtMs = performance.now();
  /** In the order of their ends. */
  readonly calls: RecordedCall[] = [];
  readonly #demands = new Map<string, Demand>();

  /** Called when a field needs the call for this resource and these relations. */
  onLoad(resource: Resource, include: readonly Relation[], field: GraphQLResolveInfo | undefined): void {
    const path = pathOf(resource, include);
    const demand = this.#demands.get(path) ?? { include, fields: new Set() };
    this.#demands.set(path, demand);
    if (field) demand.fields.add(field);
  }

  /** Called when a site is requested again without these relations: for the same fields. */
  onDegraded(id: string, include: readonly Relation[]): void {
    const site: Resource = { kind: 'site', id };
    for (const field of this.demandFor(pathOf(site, include)).fields) this.onLoad(site, [], field);
  }

  onCall(call: UpstreamCall, startedAtMs: number): void {
    this.calls.push({ call, startedAtMs });
  }

  demandFor(path: string): Demand {
    return this.#demands.get(path) ?? noDemand;
  }
}
