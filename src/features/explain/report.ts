import { type FieldNode, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { mapParts } from '../../operation/results.ts';
import type { Phase } from '../../operation/types.ts';
import type { UpstreamCall } from '../../rest/caller.ts';
import { memoized } from '../../rest/memo.ts';
import type { Notices } from '../../rest/notices.ts';
import type { Relation } from '../../rest/resources.ts';
import { pathOf, type ResourceId } from '../../rest/targets.ts';
import type { CallObserver, OperationCalls } from '../../schema/loaders.ts';
import { causeOf, type ListedFields, listFields } from './causes.ts';
import { explainField } from './header.ts';

/** With `x-explain: report` each part of a response lists in `extensions.upstream` the REST calls that have ended. */
export const explainReport: Phase = {
  onParams({ request, context }) {
    if (request.headers.get(explainField) === 'report' && context.calls) recorderOf(context.calls);
  },
  onExecutionResult({ request, result, setResult, context: { calls } }) {
    if (!result || !calls || request.headers.get(explainField) !== 'report') return;
    const report = createReporter(calls);
    setResult(
      mapParts(result, (part) => ({
        ...part,
        extensions: { ...part.extensions, upstream: report(part.hasNext !== true) },
      })),
    );
  },
};

/** A REST call that an operation made or was served from, and the fields that needed it. */
interface ReportedCall extends UpstreamCall, ListedFields {
  /** When it began: milliseconds since the parameters of the operation were read. */
  startedMs: number;
}

/** The REST calls of a response, or of one of its parts. */
export interface Report {
  calls: ReportedCall[];
  /** In the last part: how many calls were sent in all, of how many that may be. */
  budget?: { spent: number; limit: number };
  /** In the last part: what is left to the key, and the deprecation. Absent: the REST API does not say. */
  quota?: Notices['quota'];
  deprecation?: Notices['deprecation'];
}

/** Reports with each part of a response, in their order, the calls that have ended since the part before. */
function createReporter(calls: OperationCalls): (isLast: boolean) => Report {
  const { budget } = calls;
  const recorder = recorderOf(calls);
  return (isLast) => {
    const { quota, deprecation } = calls.notices ?? {};
    const said = { ...(quota && { quota }), ...(deprecation && { deprecation }) };
    return {
      calls: recorder.calls.splice(0).map(({ call, startedAtMs }) => ({
        ...call,
        startedMs: Math.round((startedAtMs - recorder.startedAtMs) * 1000) / 1000,
        ...recorder.fieldsOf(call),
      })),
      ...(isLast && { budget: { spent: budget.used, limit: budget.limit }, ...said }),
    };
  };
}

/** The recorder of an operation, which records from the first time that it is asked for. */
const recorderOf = memoized((calls: OperationCalls) => {
  const recorder = new LoadRecorder();
  calls.observe(recorder);
  return recorder;
});

/** Within an operation a path is requested once, retries apart, so that the path identifies the call. */
class LoadRecorder implements CallObserver {
  readonly startedAtMs = performance.now();
  /** Those that are not reported yet, as they finished. */
  readonly calls: { call: UpstreamCall; startedAtMs: number }[] = [];
  /** By path: the relations that its call returns, and the fields that needed it so far. */
  readonly #demands = new Map<string, { include: readonly Relation[]; fields: Set<GraphQLResolveInfo> }>();

  onDemand(resource: ResourceId, include: readonly Relation[], field: GraphQLResolveInfo | undefined): void {
    const path = pathOf(resource, include);
    const demand = this.#demands.get(path) ?? { include, fields: new Set() };
    this.#demands.set(path, demand);
    if (field) demand.fields.add(field);
  }

  onDegraded(resource: ResourceId, include: readonly Relation[]): void {
    const { fields = [] } = this.#demands.get(pathOf(resource, include)) ?? {};
    for (const field of fields) this.onDemand(resource, [], field);
  }

  onCall(call: UpstreamCall, startedAtMs: number): void {
    this.calls.push({ call, startedAtMs });
  }

  /** The fields that needed a call. */
  fieldsOf({ path }: UpstreamCall): ListedFields {
    const { include = [], fields = [] } = this.#demands.get(path) ?? {};
    const causes = [...fields].map((info) => causeOfNodes(info.fieldNodes, info));
    return listFields([...new Set(causes)], [undefined, ...include]);
  }
}

/** Once for the nodes of a field, which list elements and executions of a compiled operation have in common. */
const causeOfNodes = memoized((nodes: readonly FieldNode[], info: GraphQLResolveInfo) =>
  causeOf(responsePathOf(info), info.returnType, nodes, info),
);

/** The path of a field in the response, without the indices of lists. */
function responsePathOf({ path }: GraphQLResolveInfo): string {
  return responsePathAsArray(path)
    .filter((key) => typeof key === 'string')
    .join('.');
}
