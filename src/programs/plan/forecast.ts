import { tableFrom } from '../../command/table.ts';
import {
  type CallsPerMinute as Calls,
  callsPerMinute,
  type OperationPlan,
  roundsPerMinute,
} from '../../features/explain/index.ts';
import type { PlanArguments } from './arguments.ts';

export type Viewing = NonNullable<PlanArguments['viewing']>;

export type Forecast = ReturnType<typeof forecastOf>;

/**
 * Forecasts the REST calls in a minute of operations that viewers with one key look at: `alone`, each viewer without a
 * gateway; `gateway`, through one, as the documents have them; `live`, as live queries, null for those that cannot be.
 */
export function forecastOf(plans: readonly OperationPlan[], viewing: Viewing) {
  const { viewers, latencyMs, limitPerMinute } = viewing;
  const operations = plans.map(({ name, file, line, formula, cost, live: ownRate, asLive }) => {
    const everyMs = ownRate ? ownRate.everySeconds * 1000 : viewing.everyMs;
    const { alone, coalesced } = roundsPerMinute(viewers, everyMs, latencyMs);
    const pollEveryMs = Math.max(everyMs, (asLive?.live?.everySeconds ?? 0) * 1000);
    const polls = asLive && callsPerMinute(asLive.cost, 60_000 / pollEveryMs);
    const live = polls ? sum([polls], asLive.live?.limitPerMinute) : null;
    const gateway = (ownRate && live) || callsPerMinute(cost, coalesced);
    const without = callsPerMinute(cost, alone);
    return { name, file, line, formula, viewers, everyMs, alone: without, gateway, live };
  });
  const [pollsPerMinute] = plans.flatMap(({ asLive }) => asLive?.live?.limitPerMinute ?? []);
  const column = (name: 'alone' | 'gateway' | 'live') => operations.flatMap((one) => one[name] ?? []);
  const live = sum(column('live'), pollsPerMinute);
  const total = { alone: sum(column('alone')), gateway: sum(column('gateway')), live };
  return { latencyMs, limitPerMinute, operations, total };
}

/** `limit`: what is over it is not made in the same minute. */
function sum(all: readonly Calls[], limit = Infinity): Calls {
  const total = (name: keyof Calls) => all.reduce((count, calls) => count + calls[name], 0);
  return { known: Math.min(total('known'), limit), atMost: Math.min(total('atMost'), limit) };
}

/** Why a forecast is over the limit of a minute. */
export function excessOf({ total, limitPerMinute = Infinity }: Forecast): string | undefined {
  const { atMost } = total.gateway;
  if (atMost <= limitPerMinute) return undefined;
  const excess = `all operations make up to ${atMost} REST calls a minute; at most ${Math.floor(limitPerMinute)} are allowed`;
  return `${excess}. Poll some of them less often, or make them live.`;
}

/** The forecast as a table, with the shares of the limit of a minute. */
export function forecastTable({ operations, total, limitPerMinute = Infinity }: Forecast): string[] {
  const cell = (calls: Calls | null, limit = Infinity) => {
    if (!calls) return '';
    const { known, atMost } = calls;
    const share = limit < Infinity ? ` (${Math.ceil((100 * atMost) / limit)} %)` : '';
    return `${known < atMost ? `${known}, at most ` : ''}${atMost}${share}`;
  };
  const whole = { ...total, name: 'all', file: '', line: 0, formula: '', everyMs: undefined, viewers: '' };
  const rows = [...operations, whole].map((row) => [
    ...[row.name ?? `${row.file}:${row.line}`, row.formula, row.everyMs ? `${row.everyMs / 1000} s` : ''],
    ...[`${row.viewers}`, cell(row.alone), cell(row.gateway, limitPerMinute), cell(row.live, limitPerMinute)],
  ]);
  return tableFrom(['operation', 'formula', 'every', 'viewers', 'alone', 'gateway', 'live'], rows);
}
