import { tooExpensive, tooManyResources } from '../../errors.ts';
import type { Input, InputRules } from '../../input.ts';
import type { Resource } from '../../schema/resources.ts';
import { complexityOf } from '../document/complexity.ts';
import {
  fieldsOf,
  namesIn,
  operationInfoOf,
  resourcesOf,
  type SelectedOperation,
} from '../document/operation-info.ts';
import type { Check } from '../types.ts';

export interface BudgetOptions extends Pick<InputRules, 'maxIds'> {
  input: Input;
  /** How many REST calls one operation may make. */
  maxUpstreamCalls: number;
  /** How many resources one operation may name, duplicates included. */
  maxResources: number;
}

/** Copies of resources in a response: each costs time and bytes, though no REST call. */
export const MAX_RESOURCES = 100;

/**
 * Refuses an operation, before its first REST call, whose document and variables name more resources than it may, or more
 * distinct ones than it may make calls. Where only the data name them, it is the loaders that count.
 */
export function createBudgetCheck(options: BudgetOptions) {
  const { input, maxIds, maxUpstreamCalls, maxResources } = options;

  const check = (operation: SelectedOperation, variables: Record<string, unknown>) => {
    const reading = operationInfoOf(operation, variables);
    const fields = fieldsOf(reading.query, [reading.operation], reading);
    // A duplicate costs no call, but adds a copy to the response; an invalid id adds an error.
    const names = fields.reduce((count, field) => count + namesIn(field, reading, maxIds), 0);
    if (names > maxResources) throw tooManyResources(names, maxResources);
    const named = new Set(fields.flatMap((field) => resourcesOf(field, reading, input)).map(nameOf));
    if (named.size > maxUpstreamCalls) throw tooExpensive(named.size, maxUpstreamCalls);
  };

  return (operation: SelectedOperation): Check | undefined => {
    // Most operations are cheap at a glance.
    const names = complexityOf(operation.document).rootFields * maxIds;
    if (names <= Math.min(maxUpstreamCalls, maxResources)) return undefined;
    return (variables) => check(operation, variables);
  };
}

/** One text for one resource, however often it is named. */
function nameOf(resource: Resource): string {
  return 'id' in resource ? `${resource.kind} ${resource.id}` : resource.kind;
}
