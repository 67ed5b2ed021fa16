import { tooManyResources } from '../../errors.ts';
import { fieldsOf, namesIn, type OperationInfo } from '../document/operation-info.ts';
import { pathsOf, relationPathsOf, shortened } from './causes.ts';
import type { Cost } from './formula.ts';
import type { Need } from './needs.ts';

/** A limit that an operation exceeds: with `upstreamCalls` or `resources`, as in the error of its execution. */
export interface Excess {
  upstreamCalls?: number;
  resources?: number;
  limit: number;
  /** The first field that passes the limit, by its path in the response. */
  field: string;
  /** For people, with what to lower. */
  message: string;
}

export interface ExcessLimits {
  maxIds: number;
  maxResources: number;
  /** How many calls are allowed; in a build it may differ from the limit of the cost. */
  maxCalls: number;
}

/** The limit that an operation exceeds; undefined for none. One that only the data pass counts if the cost permits it. */
export function excessOf(
  operation: OperationInfo,
  needs: readonly Need[],
  cost: Cost,
  { maxIds, maxResources, maxCalls }: ExcessLimits,
): Excess | undefined {
  const names = fieldsOf(operation.query, [operation.operation], operation).map((field) => ({
    field: shortened(field.name),
    count: namesIn(field, operation, maxIds),
  }));
  const resources = firstOver(names, maxResources);
  if (resources) {
    const { field, total, advice } = resources;
    const message = `${tooManyResources(total, maxResources).message} ${field} passes the limit: ${advice}.`;
    return { resources: total, limit: maxResources, field, message };
  }
  const calls = firstCallOver(needs, cost, maxCalls);
  if (!calls) return undefined;
  const { field, total, advice, certainty = '' } = calls;
  const needed = `${certainty}${total} REST ${total === 1 ? 'call' : 'calls'}`;
  const message = `The operation makes ${needed}; at most ${maxCalls} are allowed. ${field} passes the limit: ${advice}.`;
  return { upstreamCalls: total, limit: maxCalls, field, message };
}

interface Over {
  field: string;
  total: number;
  advice: string;
  certainty?: string;
}

const elsewhere = 'select it in another operation';

function firstCallOver(needs: readonly Need[], { known, limit }: Cost, maxCalls: number): Over | undefined {
  const named = needs.filter(({ forEach }) => forEach === undefined);
  const first = named.map(({ causes }) => ({ field: firstOf(pathsOf(causes, [])), count: 1 }));
  // The calls for deferred relations come after all others.
  const deferred = named
    .filter(({ later }) => later.size > 0)
    .map(({ causes, later }) => ({ field: firstOf(relationPathsOf(causes, later)), count: 1 }));
  const over = firstOver([...first, ...deferred], maxCalls);
  if (over) {
    const isDeferred = deferred.some(({ field }) => field === over.field);
    return isDeferred ? { ...over, advice: 'select it without @defer' } : over;
  }
  const dependent = needs.find(({ forEach }) => forEach !== undefined);
  const total = Math.max(known, limit);
  if (!dependent || total <= maxCalls) return undefined;
  const advice = `it is loaded for each element of ${dependent.forEach}; ${elsewhere}`;
  return { field: firstOf(pathsOf(dependent.causes, [])), total, advice, certainty: 'up to ' };
}

function firstOf(paths: readonly string[]): string {
  return paths[0] ?? '';
}

/** The first field with which the sum is over the limit. */
function firstOver(shares: readonly { field: string; count: number }[], limit: number): Over | undefined {
  const counts = new Map<string, number>();
  for (const { field, count } of shares) counts.set(field, (counts.get(field) ?? 0) + count);
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  let left = limit;
  for (const [field, count] of counts) {
    const fewer = left > 0 ? `name at most ${left} ids in it, or ` : '';
    if (count > left) return { field, total, advice: fewer + elsewhere };
    left -= count;
  }
  return undefined;
}
