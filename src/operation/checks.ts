import { type ExecutionArgs, getArgumentValues } from 'graphql';
import type { CoreConfig } from '../config/core.ts';
import { UpstreamBudgetExceeded } from '../rest/errors.ts';
import { ignoreRequestError, rejectionFor, tooManyResources } from '../schema/errors.ts';
import type { Input } from '../schema/input.ts';
import type { Resource } from '../schema/resources.ts';
import type { SelectionInfo } from '../schema/selections.ts';
import {
  complexityOf,
  operationInfoOf,
  type ResponseField,
  rootFieldsOf,
  type SelectedOperation,
  selectOperation,
  type Values,
  variablesOf,
} from './fields.ts';
import type { Check, Phase } from './types.ts';

export interface BudgetOptions extends Pick<CoreConfig, 'maxIds' | 'maxUpstreamCalls' | 'maxResources'> {
  input: Input;
}

/**
 * Rejects an operation, before its first REST call, whose document and variables name more resources than it
 * may, or more distinct ones than it may make calls. Ids from data are counted by the loaders.
 */
export function createBudgetCheck({ input, maxIds, maxUpstreamCalls, maxResources }: BudgetOptions) {
  return (operation: SelectedOperation): Check | undefined => {
    // Most operations are cheap at a glance.
    const most = complexityOf(operation.document).rootFields * maxIds;
    if (most <= Math.min(maxUpstreamCalls, maxResources)) return undefined;
    return (variables) => {
      const info = operationInfoOf(operation, variables);
      const fields = rootFieldsOf(info);
      // A duplicate costs no call, but adds a copy to the response; an invalid id adds an error.
      const names = fields.reduce((count, field) => count + namesIn(field, info, maxIds), 0);
      if (names > maxResources) throw tooManyResources(names, maxResources);
      const named = new Set(fields.flatMap((field) => resourcesOf(field, info, input)).map(resourceNameOf));
      if (named.size > maxUpstreamCalls)
        throw rejectionFor(new UpstreamBudgetExceeded(named.size, maxUpstreamCalls), 422);
    };
  };
}

export function operationBudget(options: BudgetOptions): Phase {
  const checkOf = createBudgetCheck(options);
  return {
    onExecute({ args: { schema, document, operationName, variableValues } }: { args: ExecutionArgs }) {
      const operation = selectOperation(schema, document, operationName);
      const check = operation && checkOf(operation);
      // Variables that do not fit are for the execution to reject.
      const variables = check && variablesOf(schema, operation.operation, variableValues);
      if (variables) check(variables);
    },
  };
}

/** One text for one resource, however often it is named. */
export function resourceNameOf(resource: Pick<Resource, 'kind'> & { id?: string | null }): string {
  return `${resource.kind} ${resource.id}`;
}

/** The resources a field's arguments name; none if they do not fit, which costs the field and no call. */
export function resourcesOf(field: ResponseField, info: SelectionInfo, input: Input): Resource[] {
  const { resources } = field.definition.extensions;
  const values = resources && argumentsOf(field, info);
  return values ? resources(values, input) : [];
}

/** How many resources a field's arguments name, with duplicates. A list that is too long counts as one. */
export function namesIn(field: ResponseField, info: SelectionInfo, maxIds: number): number {
  if (!field.definition.extensions.resources) return 0;
  // Such a field has one argument: an id or a list.
  const [names] = Object.values(argumentsOf(field, info) ?? {});
  if (!Array.isArray(names)) return 1;
  return names.length > maxIds ? 1 : names.length;
}

function argumentsOf({ definition, nodes: [node] }: ResponseField, info: SelectionInfo): Values | undefined {
  if (!node) return undefined;
  try {
    return getArgumentValues(definition, node, info.variableValues);
  } catch (error) {
    return ignoreRequestError(error);
  }
}
