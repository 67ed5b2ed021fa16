import { tableFrom } from '../../command/table.ts';
import {
  type CallsPerMinute as Calls,
  callsPerMinute,
  type OperationPlan,
  roundsPerMinute,
} from '../../features/explain/index.ts';
import { markdownTable } from './markdown.ts';
import type { Viewing } from './viewers.ts';

export type Forecast = ReturnType<typeof forecastOf>;

/**
 * Forecasts the REST calls in a minute of operations that viewers with one key look at: `alone`, each viewer
 * without a gateway; `gateway`, through one, as the documents have them; `live`, as live queries, null for those
 * that cannot be. `viewingOf` returns undefined for an operation to leave out.
 */
export function forecastOf(
  plans: readonly OperationPlan[],
  latencyMs: number,
  viewingOf: (plan: OperationPlan) => Viewing | undefined,
) {
  const operations = plans.flatMap((plan) => {
    const viewing = viewingOf(plan);
    if (!viewing) return [];
    const { name, file, line, formula, asLive } = plan;
    const everyMs = plan.live ? plan.live.everySeconds * 1000 : viewing.everyMs;
    const { alone, coalesced } = roundsPerMinute(viewing.viewers, everyMs, latencyMs);
    const pollEveryMs = Math.max(everyMs, (asLive?.live?.everySeconds ?? 0) * 1000);
    const polls = asLive && callsPerMinute(asLive.cost, 60_000 / pollEveryMs);
    const live = polls ? sum([polls], asLive.live?.sustainedPerMinute) : null;
    const gateway = (plan.live && live) || callsPerMinute(plan.cost, coalesced);
    const without = callsPerMinute(plan.cost, alone);
    return [{ name, file, line, formula, ...viewing, everyMs, alone: without, gateway, live }];
  });
  const [pollsPerMinute] = plans.flatMap(({ asLive }) => asLive?.live?.sustainedPerMinute ?? []);
  const column = (name: 'alone' | 'gateway' | 'live') => operations.flatMap((one) => one[name] ?? []);
  const live = sum(column('live'), pollsPerMinute);
  const total = { alone: sum(column('alone')), gateway: sum(column('gateway')), live };
  return { latencyMs, operations, total };
}

/** `limit`: what is over it is not made in the same minute. */
function sum(all: readonly Calls[], limit = Infinity): Calls {
  const total = (name: keyof Calls) => all.reduce((count, calls) => count + calls[name], 0);
  return { known: Math.min(total('known'), limit), atMost: Math.min(total('atMost'), limit) };
}

/** Why a forecast is over the limit of a minute: without the named operations the others are within it. */
export function excessOf({ operations, total }: Forecast, limit = Infinity): string | undefined {
  const { atMost } = total.gateway;
  if (atMost <= limit) return undefined;
  let rest = atMost;
  const names = operations
    .toSorted((one, other) => other.gateway.atMost - one.gateway.atMost)
    .flatMap(({ name, file, line, gateway }) => {
      const isOver = rest > limit;
      rest -= gateway.atMost;
      return isOver ? [name ?? `${file}:${line}`] : [];
    });
  const excess = `all operations make up to ${atMost} REST calls a minute; at most ${Math.floor(limit)} are allowed`;
  return `${excess}. These do not fit: ${firstOf(names)}. Poll them less often, or make them live.`;
}

/** The first five names as a message has them, and how many more there are. */
export function firstOf(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `${names.slice(0, 5).join(', ')}${more}`;
}

/** The forecast as a table, with the shares of the limit of a minute. */
export function forecastTable({ operations, total }: Forecast, isMarkdown: boolean, limit = Infinity) {
  const cell = (calls: Calls | null, limit = Infinity) => {
    if (!calls) return '';
    const { known, atMost } = calls;
    const share = limit < Infinity ? ` (${Math.ceil((100 * atMost) / limit)} %)` : '';
    return `${known < atMost ? `${known}, at most ` : ''}${atMost}${share}`;
  };
  const whole = { ...total, name: 'all', file: '', line: 0, formula: '', everyMs: undefined, viewers: '' };
  const rows = [...operations, whole].map((row) => [
    ...[row.name ?? `${row.file}:${row.line}`, row.formula, row.everyMs ? `${row.everyMs / 1000} s` : ''],
    ...[`${row.viewers}`, cell(row.alone), cell(row.gateway, limit), cell(row.live, limit)],
  ]);
  const heading = ['operation', 'formula', 'every', 'viewers', 'alone', 'gateway', 'live'];
  return (isMarkdown ? markdownTable : tableFrom)(heading, rows);
}
