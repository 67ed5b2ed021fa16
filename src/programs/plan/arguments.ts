import { countFrom, type Given } from '../../command/command.ts';
import type { PlanRequest } from '../../features/explain/index.ts';

export interface PlanArguments extends PlanRequest {
  /** Files, folders and globs: see `readDocuments`. */
  files: readonly string[];
  isJson: boolean;
  /** As Markdown, of a comparison. */
  isMarkdown: boolean;
  /** What the operations are compared with: see `readBase`. Undefined: nothing. */
  against: string | undefined;
  /** How many calls more than in the base an operation may make. Undefined: any number. */
  maxIncrease: number | undefined;
}

export function argumentsFrom({ operands, options }: Given): PlanArguments {
  return {
    files: operands,
    variables: objectFrom(options.get('variables') ?? '{}') ?? {},
    operationName: options.get('operation'),
    maxCalls: countFrom(options.get('max-calls')),
    against: options.get('against'),
    maxIncrease: countFrom(options.get('max-increase')),
    isJson: options.has('json'),
    isMarkdown: options.has('markdown'),
  };
}

/** The value of a text in JSON; undefined where that is no object. */
export function objectFrom(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
