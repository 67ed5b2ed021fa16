import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../../errors.ts';
import { operationInfoOf, selectOperation, variablesOf } from '../document/operation-info.ts';
import { executedDocument } from '../execution/execute.ts';
import { type IncrementalResult, isIncremental, mapResults } from '../response/incremental.ts';
import type { Phase, RequestContext } from '../types.ts';
import { type PlanOptions, planOf } from './plan.ts';
import { createReporter } from './report.ts';

const PLAN = 'plan';
const REPORT = 'report';

/** Refuses a request with another `x-explain` than `plan` and `report`. An empty field counts as absent. */
export function explainHeader(): Phase {
  return {
    plugins: [useExplainHeader()],
    // The fast path reports as well.
    passesHeaders: (headers) => headers['x-explain'] === undefined || isReported(headers['x-explain']),
  };
}

function useExplainHeader(): Plugin {
  return {
    onParams({ request }) {
      const word = request.headers.get('x-explain');
      if (word && word !== PLAN && word !== REPORT) {
        throw badRequest('The header x-explain must be "plan" or "report".', 400);
      }
    },
  };
}

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
      if (headers.get('x-explain') !== PLAN) return;
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

/**
 * Reports what an operation cost, with the request header `x-explain: report`: the response, or each of its parts, lists
 * the REST calls that have ended in `extensions.upstream`; the last part has the call budget.
 */
export function explainReport(): Phase {
  return { plugins: [useReport()] };
}

function useReport(): Plugin<object, RequestContext> {
  return {
    onParams({ request, context: { loaders } }) {
      if (isReported(request.headers.get('x-explain'))) loaders?.record();
    },
    onExecutionResult({ request, result, setResult, context: { loaders } }) {
      if (!result || !loaders || !isReported(request.headers.get('x-explain'))) return;
      const report = createReporter(loaders);
      const addReport = (part: IncrementalResult): IncrementalResult => ({
        ...part,
        extensions: { ...part.extensions, upstream: report(part.hasNext !== true) },
      });
      setResult(isIncremental(result) ? mapResults(result, addReport) : addReport(result));
    },
  };
}

/** Whether the request header `x-explain` is for a report. */
export function isReported(word: string | string[] | null | undefined): boolean {
  return word === REPORT;
}
