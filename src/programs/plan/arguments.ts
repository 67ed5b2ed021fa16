import { countFrom, type Given } from '../../command/command.ts';
import { isObject, parse } from '../../rest/json.ts';

export type PlanArguments = ReturnType<typeof argumentsFrom>;

export const argumentsFrom = ({ operands, options }: Given) => ({
  /** Files and folders: see `readDocuments`. */
  files: operands,
  variables: objectFrom(options.get('variables') ?? '{}') ?? {},
  operationName: options.get('operation'),
  maxCalls: countFrom(options.get('max-calls')),
  /** The base of the comparison: see `readBase`. Undefined: none. */
  against: options.get('against'),
  /** How many calls more than in the base an operation may make. Undefined: any number. */
  maxIncrease: countFrom(options.get('max-increase')),
  isJson: options.has('json'),
});

/** The value of a text in JSON; undefined if that is no object. */
export function objectFrom(text: string): Record<string, unknown> | undefined {
  const value = parse(text);
  return isObject(value) ? value : undefined;
}
