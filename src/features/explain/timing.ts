import { type CoreValues, isProduction } from '../../config/core.ts';
import type { LateFields } from '../../http/response.ts';
import { endpointOf } from '../../observers/operation.ts';
import type { UpstreamCall } from '../../rest/caller.ts';
import { explainField } from './header.ts';

export const timingField = 'server-timing';
/** Proxies limit the header of a response: nginx to 4 KiB. */
const MAX_CALLS = 10;

/** `timesAll`: not only a request with `x-explain: timing` gets `Server-Timing`. */
export function timingConfig(values: Pick<CoreValues, 'NODE_ENV'>) {
  return { timesAll: !isProduction(values) };
}

/** `Server-Timing` (https://www.w3.org/TR/server-timing/), if REST calls have ended when the response begins. */
export function serverTiming({ timesAll }: ReturnType<typeof timingConfig>): LateFields {
  return ({ ended }, { req, startedAtMs }) => {
    const isTimed = ended.length > 0 && (timesAll || req.headers[explainField] === 'timing');
    return isTimed ? [[timingField, timingOf(ended, performance.now() - startedAtMs)]] : [];
  };
}

/** The slowest calls, the slowest first, and the total; no id, and no data. */
function timingOf(calls: readonly UpstreamCall[], totalMs: number): string {
  const metrics = calls
    .toSorted((one, other) => other.durationMs - one.durationMs)
    .slice(0, MAX_CALLS)
    .map((call) => metric(endpointOf(call), call.durationMs, descriptionOf(call)));
  return [...metrics, metric('total', totalMs)].join(', ');
}

/** The relations of a call, and where its response came from, if not from the network. */
function descriptionOf({ path, source }: UpstreamCall): string {
  const [, relations = ''] = path.split('?');
  return [relations, source === 'network' ? '' : source].filter(Boolean).join('; ');
}

/** Its texts are names of this program, which need no escape in a quoted string. */
function metric(name: string, durationMs: number, description = ''): string {
  return `${name};dur=${durationMs.toFixed(1)}${description && `;desc="${description}"`}`;
}
