import { countFrom, type Given } from '../../command/command.ts';
import { isObject, parse } from '../../upstream/json.ts';

export type PlanArguments = ReturnType<typeof argumentsFrom>;

export const argumentsFrom = ({ operands, options }: Given) => ({
  /** Files, folders and globs: see `readDocuments`. */
  files: operands,
  variables: objectFrom(options.get('variables') ?? '{}') ?? {},
  operationName: options.get('operation'),
  maxCalls: countFrom(options.get('max-calls')),
  /** What the operations are compared with: see `readBase`. Undefined: nothing. */
  against: options.get('against'),
  /** How many calls more than in the base an operation may make. Undefined: any number. */
  maxIncrease: countFrom(options.get('max-increase')),
  isJson: options.has('json'),
  /** As Markdown, of a comparison. */
  isMarkdown: options.has('markdown'),
});

/** The value of a text in JSON; undefined where that is no object. */
export function objectFrom(text: string): Record<string, unknown> | undefined {
  const value = parse(text);
  return isObject(value) ? value : undefined;
}
