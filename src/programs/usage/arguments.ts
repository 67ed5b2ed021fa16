import type { Given } from '../../command/command.ts';

/** What the operations of logs are grouped by. */
const groupings = ['key', 'client', 'operation'] as const;
export type Grouping = (typeof groupings)[number];

export type UsageArguments = ReturnType<typeof argumentsFrom>;

export function argumentsFrom({ operands, options }: Given) {
  const by = options.get('by') ?? '';
  return {
    /** Files; `-` is standard input. A log that is named twice counts once. */
    logs: [...new Set(operands)],
    /** The schema coordinate of a field. */
    field: options.get('field'),
    by: isGrouping(by) ? by : 'operation',
    isJson: options.has('json'),
  };
}

export function isGrouping(text: string): text is Grouping {
  return groupings.some((grouping) => grouping === text);
}
