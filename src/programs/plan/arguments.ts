import type { Given, Option } from '../../command/command.ts';
import { isObject, parse } from '../../rest/json.ts';

export type PlanArguments = ReturnType<typeof argumentsFrom>;

export const argumentsFrom = ({ operands, options }: Given) => ({
  /** Files, folders and globs: see `readDocuments`. */
  files: operands,
  variables: objectFrom(options.get('variables') ?? '{}') ?? {},
  operationName: options.get('operation'),
  maxCalls: countFrom(options.get('max-calls')),
  /** The base of the comparison: see `readBase`. Undefined: none. */
  against: options.get('against'),
  /** How many calls more than in the base an operation may make. Undefined: any number. */
  maxIncrease: countFrom(options.get('max-increase')),
  isJson: options.has('json'),
  /** The parameters of a forecast. Absent: no forecast. */
  ...(options.has('viewers') && {
    viewing: {
      viewers: Number(options.get('viewers')),
      everyMs: durationMsFrom(options.get('every')) ?? 0,
      latencyMs: durationMsFrom(options.get('latency')) ?? 200,
      limitPerMinute: perMinuteFrom(options.get('limit')),
    },
  }),
});

/** The milliseconds of a time such as `5s`, `500ms` or `1m`; undefined for another text. */
function durationMsFrom(text = ''): number | undefined {
  const [, count = '', unit = ''] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  return isPositive(count) ? Number(count) * ({ ms: 1, s: 1000 }[unit] ?? 60_000) : undefined;
}

/** Calls in a minute of a limit such as `6000/60s`; undefined for another text. */
function perMinuteFrom(text = ''): number | undefined {
  const [count = '', time = '', ...more] = text.split('/');
  const ms = durationMsFrom(time);
  return isPositive(count) && ms && more.length === 0 ? (Number(count) * 60_000) / ms : undefined;
}

export const isCount = (text: string): boolean => /^\d{1,9}$/.test(text);

function countFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** True for a text that is a whole number from 1. */
function isPositive(text: string): boolean {
  return isCount(text) && Number(text) > 0;
}

/** The value of a text in JSON; undefined if that is no object. */
export function objectFrom(text: string): Record<string, unknown> | undefined {
  const value = parse(text);
  return isObject(value) ? value : undefined;
}

const time = {
  requires: 'a time with its unit, such as 5s, 500ms or 1m',
  accepts: (text: string) => durationMsFrom(text) !== undefined,
};

/** The options of a forecast. */
export const viewingOptions: Readonly<Record<string, Option>> = {
  viewers: {
    help: 'forecast the REST calls in a minute with N viewers of each operation',
    value: { name: 'N', requires: 'a whole number from 1', accepts: isPositive },
  },
  every: { help: 'how often each viewer sends a query, such as 5s', value: { name: 'TIME', ...time } },
  latency: { help: 'how long a REST call takes; 200ms without it', value: { name: 'TIME', ...time } },
  limit: {
    help: 'exit with 1 if the forecast is over this limit of the key',
    value: {
      name: 'CALLS/TIME',
      requires: 'calls and their time, such as 6000/60s',
      accepts: (text) => perMinuteFrom(text) !== undefined,
    },
  },
};
