import { getOperationAST } from 'graphql';
import { variablesOf } from '../document/operation-info.ts';
import type { Phase } from '../types.ts';

/**
 * Leaves variables that do not fit to the full pipeline, which reports the first of them: a compiled operation reports
 * each, as many errors as a body holds.
 */
export function variableTypes(): Phase {
  return {
    plugins: [],
    passesOperation({ schema, document, operationName, variableValues }) {
      const operation = getOperationAST(document, operationName);
      return operation != null && variablesOf(schema, operation, variableValues) !== undefined;
    },
  };
}
