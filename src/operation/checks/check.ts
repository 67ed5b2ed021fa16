import type { ExecutionArgs } from 'graphql';
import { type SelectedOperation, selectOperation, variablesOf } from '../document/operation-info.ts';
import type { Check, Phase } from '../types.ts';

/** Refuses operations before their first REST call by a check of their variables, so that each execution has to pass it. */
export function operationCheck(checkOf: (operation: SelectedOperation) => Check | undefined): Phase {
  return {
    plugins: [
      {
        onExecute({ args: { schema, document, operationName, variableValues } }: { args: ExecutionArgs }) {
          const operation = selectOperation(schema, document, operationName);
          const check = operation && checkOf(operation);
          // Variables that do not fit are for the execution to refuse.
          const variables = check && variablesOf(schema, operation.operation, variableValues);
          if (variables) check(variables);
        },
      },
    ],
    checkOf,
  };
}
