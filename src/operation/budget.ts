import { tooExpensive } from '../errors.ts';
import type { Input, InputRules } from '../input.ts';
import type { Resource } from '../schema/resources.ts';
import type { Check } from './checks.ts';
import { measureOf } from './measure.ts';
import { fieldsOf, readingOf, resourcesOf } from './reading.ts';

export interface BudgetOptions extends Pick<InputRules, 'maxIds'> {
  input: Input;
  /** How many REST calls one operation may make. */
  maxUpstreamCalls: number;
}

/**
 * Refuses an operation, before its first REST call, whose document and variables name more resources than it may make
 * calls. Where only the data name them, it is the loaders that count.
 */
export function createBudgetCheck({ input, maxIds, maxUpstreamCalls }: BudgetOptions): Check {
  return (args) => {
    // Most operations are cheap at a glance.
    if (measureOf(args.document).rootFields * maxIds <= maxUpstreamCalls) return;
    const reading = readingOf(args);
    if (!reading) return;
    const fields = fieldsOf(reading.query, [reading.operation], reading);
    const named = new Set(fields.flatMap((field) => resourcesOf(field, reading, input)).map(nameOf));
    if (named.size > maxUpstreamCalls) throw tooExpensive(named.size, maxUpstreamCalls);
  };
}

/** One text for one resource, however often it is named. */
function nameOf(resource: Resource): string {
  return 'id' in resource ? `${resource.kind} ${resource.id}` : resource.kind;
}
