import type { Given } from '../../command/command.ts';

/** What the operations of logs are grouped by. */
const groupings = ['key', 'client', 'operation'] as const;
export type Grouping = (typeof groupings)[number];

export interface UsageArguments {
  /** Files; `-` is standard input. */
  logs: readonly string[];
  /** The schema coordinate of a field. */
  field: string | undefined;
  by: Grouping;
  isJson: boolean;
}

export function argumentsFrom({ operands, options }: Given): UsageArguments {
  const by = options.get('by') ?? 'operation';
  return {
    // A log that is named twice counts once.
    logs: [...new Set(operands)],
    field: options.get('field'),
    by: isGrouping(by) ? by : 'operation',
    isJson: options.has('json'),
  };
}

export function isGrouping(text: string): text is Grouping {
  return groupings.some((grouping) => grouping === text);
}
