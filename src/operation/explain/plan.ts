import type { Input } from '../../input.ts';
import type { Resource } from '../../schema/resources.ts';
import type { Relation } from '../../upstream/resources.ts';
import type { OperationInfo } from '../document/operation-info.ts';
import { type ListedFields, listFields, pathsOf, relationPathsOf } from './causes.ts';
import { costOf, mostCalls } from './cost.ts';
import { type Excess, excessOf } from './excess.ts';
import type { Cost } from './formula.ts';
import { type Need, needsOf } from './needs.ts';

/** The REST calls that an operation would make. */
export interface Plan {
  calls: PlannedCall[];
  /** How many more there are; absent: none. */
  omittedCalls?: number;
  cost: Cost;
  /** The most calls while none fails: the known ones, or the limit where the data decide. */
  atMost: number;
  limit: number;
  /** The limit that the operation exceeds: it is rejected, or the calls over the limit fail. Absent: none. */
  exceeded?: Excess;
}

/** A REST call that an operation would make, and the fields that cause it, by their paths in the response. */
interface PlannedCall extends ListedFields {
  method: 'GET';
  /** With `{id}` in place of an id that depends on the data. */
  path: string;
  /** The list for each of whose elements the call is made, where their number depends on the data. */
  forEach?: string;
}

export interface PlanOptions {
  input: Input;
  maxUpstreamCalls: number;
  maxIds: number;
  maxResources: number;
  /** How many calls are allowed, if not `maxUpstreamCalls`. */
  maxCalls?: number | undefined;
  /** The path of a call; an id that is not known is `{id}`. */
  toPath(resource: { kind: Resource['kind']; id: string | null }, include: readonly Relation[]): string;
}

/** An operation that is too expensive names many times what it may. */
const MAX_CALLS = 200;

/**
 * Plans an operation by its document and variables alone: what it costs, and why. Calls nothing. The work is proportional to
 * the root fields times the length of their lists.
 */
export function planOf(operation: OperationInfo, { input, toPath, ...options }: PlanOptions): Plan {
  const { maxUpstreamCalls: limit, maxCalls = limit } = options;
  const needs = needsOf(operation, input);
  // A need has a call or two.
  const calls = needs
    .slice(0, MAX_CALLS)
    .flatMap((need) => callsFor(need, toPath))
    .slice(0, MAX_CALLS);
  const cost = costOf(needs, limit);
  const all = cost.forEach.reduce((count, each) => count + each.calls, cost.known);
  const exceeded = excessOf(operation, needs, cost, { ...options, maxCalls });
  return {
    calls,
    ...(all > calls.length && { omittedCalls: all - calls.length }),
    cost,
    atMost: mostCalls(cost),
    limit,
    ...(exceeded && { exceeded }),
  };
}

/** One call now, and one for the relations that are deferred. */
function callsFor(
  { kind, id, forEach, causes, now, later }: Need,
  toPath: PlanOptions['toPath'],
): PlannedCall[] {
  const call = (include: ReadonlySet<Relation>, paths: string[]): PlannedCall => ({
    method: 'GET',
    path: toPath({ kind, id }, [...include]),
    ...listFields(paths),
    ...(forEach !== undefined && { forEach }),
  });
  const first = call(now, pathsOf(causes, now));
  return later.size === 0 ? [first] : [first, call(later, relationPathsOf(causes, later))];
}
