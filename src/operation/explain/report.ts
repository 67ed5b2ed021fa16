import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { LoadRecorder, RecordedCall } from '../../loaders/recorder.ts';
import type { Loaders } from '../../loaders.ts';
import type { UpstreamCall } from '../../upstream/caller.ts';
import type { IncrementalResult } from '../response/incremental.ts';
import { type Cause, causeOf, type ListedFields, listFields, pathsOf } from './causes.ts';

/** A REST call that an operation made or was served from, and the fields that needed it. */
interface ReportedCall extends UpstreamCall, ListedFields {
  /** When it began: milliseconds since the parameters of the operation were read. */
  startedMs: number;
}

/** The REST calls of a response, or of one of its parts. */
export interface Report {
  calls: ReportedCall[];
  /** How many more there are; absent: none. */
  omittedCalls?: number;
  /** In the last part: how many calls were sent in all, of how many that may be. */
  budget?: { spent: number; limit: number };
}

/** Calls that are served from the cache are not limited by the budget. */
const MAX_CALLS = 1000;

/** Adds to each part of a response, in their order, the calls that have ended since the part before. */
export function createReporter(loaders: Loaders): (part: IncrementalResult) => IncrementalResult {
  const { budget } = loaders;
  const recorder = loaders.record();
  const describe = recorder && createDescriber(recorder);
  let ended = 0;
  return (part) => {
    const since = recorder?.calls.slice(ended) ?? [];
    const listed = since.slice(0, Math.max(MAX_CALLS - ended, 0));
    ended += since.length;
    const omittedCalls = since.length - listed.length;
    const upstream: Report = {
      calls: listed.flatMap((recorded) => describe?.(recorded) ?? []),
      ...(omittedCalls > 0 && { omittedCalls }),
      ...(part.hasNext !== true && { budget: { spent: budget.used, limit: budget.limit } }),
    };
    return { ...part, extensions: { ...part.extensions, upstream } };
  };
}

function createDescriber(recorder: LoadRecorder): (recorded: RecordedCall) => ReportedCall {
  /** All elements of a list have their fields in common. */
  const causes = new Map<readonly FieldNode[], Cause>();

  const causeOfField = (info: GraphQLResolveInfo): Cause => {
    const { fieldNodes, returnType } = info;
    const cause = causes.get(fieldNodes) ?? causeOf(pathOf(info), returnType, fieldNodes, info);
    causes.set(fieldNodes, cause);
    return cause;
  };

  return ({ call, startedAtMs }) => {
    const { method, path, source, status, attempt, durationMs, ...rest } = call;
    const { fields, include } = recorder.demandFor(path);
    return {
      method,
      path,
      source,
      status,
      ...(attempt && { attempt }),
      startedMs: Math.round((startedAtMs - recorder.startedAtMs) * 1000) / 1000,
      durationMs,
      ...listFields(pathsOf(new Set([...fields].map(causeOfField)), include)),
      ...rest,
    };
  };
}

/** The path of a field in the response, without the indices of lists. */
function pathOf({ path }: GraphQLResolveInfo): string {
  const names: string[] = [];
  for (let place: typeof path | undefined = path; place; place = place.prev) {
    if (typeof place.key === 'string') names.push(place.key);
  }
  return names.reverse().join('.');
}
