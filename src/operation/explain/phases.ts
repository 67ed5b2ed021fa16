import type { Plugin } from 'graphql-yoga';
import { operationInfoOf, selectOperation, variablesOf } from '../document/operation-info.ts';
import { executedDocument } from '../execution/execute.ts';
import type { Phase, RequestContext } from '../types.ts';
import { type PlanOptions, planOf } from './plan.ts';

/**
 * Plans an operation in place of executing it, with the request header `x-explain: plan`: the response is
 * `extensions.plan`.
 */
export function explainPlan(options: PlanOptions): Phase {
  return { plugins: [usePlan(options)] };
}

function usePlan(options: PlanOptions): Plugin<object, RequestContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { headers } = args.contextValue.request;
      if (headers.get('x-explain') !== 'plan') return;
      const { schema, operationName, variableValues } = args;
      const document = executedDocument(args.document, headers.get('accept'));
      const operation = selectOperation(schema, document, operationName);
      const variables = operation && variablesOf(schema, operation.operation, variableValues);
      if (!variables) return;
      const plan = planOf(operationInfoOf(operation, variables), options);
      setResultAndStopExecution({ extensions: { plan } });
    },
  };
}
