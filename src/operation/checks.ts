import { type ExecutionArgs, getArgumentValues, getDirectiveValues } from 'graphql';
import { memoized } from '../rest/memo.ts';
import { streamDirective } from '../schema/directives.ts';
import { badUserInput, ignoreRequestError, tooExpensive, tooManyResources } from '../schema/errors.ts';
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
  type WrittenField,
  writtenFields,
} from './fields.ts';
import type { Check, Phase } from './types.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Returns what is wrong with arguments that are right one by one; undefined for nothing. */
    problemOfArguments?: (values: Values) => string | undefined;
  }
}

/** Rejects operations before their first REST call by a check of their variables, at each execution. */
export function operationCheck(checkOf: (operation: SelectedOperation) => Check | undefined): Phase {
  return {
    onExecute({ args: { schema, document, operationName, variableValues } }: { args: ExecutionArgs }) {
      const operation = selectOperation(schema, document, operationName);
      const check = operation && checkOf(operation);
      // Variables that do not fit are for the execution to reject.
      const variables = check && variablesOf(schema, operation.operation, variableValues);
      if (variables) check(variables);
    },
    checkOf,
  };
}

const checkedFields = memoized((_: SelectedOperation['operation'], operation: SelectedOperation) =>
  [...writtenFields(operation)].filter(isChecked),
);

/**
 * Rejects an operation with arguments that no data can make right.
 * @throws a GraphQLError with the code BAD_USER_INPUT
 */
export function checkArguments(operation: SelectedOperation): Check | undefined {
  const fields = checkedFields(operation.operation, operation);
  if (fields.length === 0) return undefined;
  return (variables) => {
    for (const { node, definition } of fields) {
      const problem =
        definition.extensions.problemOfArguments?.(getArgumentValues(definition, node, variables)) ??
        problemOfStream(node, variables);
      if (problem) throw badUserInput(problem, node);
    }
  };
}

/** Most operations have no field with something to check. */
function isChecked({ node, definition }: WrittenField): boolean {
  const isStreamed = node.directives?.some(({ name }) => name.value === streamDirective.name);
  return isStreamed || Boolean(definition.extensions.problemOfArguments && node.arguments?.length);
}

function problemOfStream(node: WrittenField['node'], variables: Values): string | undefined {
  const { initialCount } = getDirectiveValues(streamDirective, node, variables) ?? {};
  const isNegative = typeof initialCount === 'number' && initialCount < 0;
  return isNegative ? '"initialCount" must not be negative.' : undefined;
}

export interface BudgetOptions {
  input: Input;
  /** How many ids one list argument may hold. */
  maxIds: number;
  /** How many REST calls one operation may make. */
  maxUpstreamCalls: number;
  /** How many resources one operation may name, duplicates included. */
  maxResources: number;
}

/** Copies of resources in a response: each costs time and bytes, though no REST call. */
export const MAX_RESOURCES = 100;

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
      if (named.size > maxUpstreamCalls) throw tooExpensive(named.size, maxUpstreamCalls);
    };
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

/** Undefined where the arguments do not fit. */
function argumentsOf({ definition, nodes: [node] }: ResponseField, info: SelectionInfo): Values | undefined {
  if (!node) return undefined;
  try {
    return getArgumentValues(definition, node, info.variableValues);
  } catch (error) {
    return ignoreRequestError(error);
  }
}
