import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../../errors.ts';
import { operationInfoOf } from '../document/operation-info.ts';
import { type PlanOptions, planOf } from '../explain/plan.ts';
import type { Phase, RequestContext } from '../types.ts';
import type { LiveSettings } from './live.ts';
import { intervalMsOf, type LiveOperation, type ReadLiveOperation } from './live-operation.ts';

export interface LivePhaseOptions extends PlanOptions {
  settings: LiveSettings;
  readOperation: ReadLiveOperation;
}

/**
 * Responds to the live operations for which no stream is opened: plans them, with `x-explain: plan`, or refuses them. Absent
 * options: there are no live queries.
 */
export function liveOperations(options: LivePhaseOptions | null | undefined): Phase {
  return { plugins: options ? [useLiveOperations(options)] : [] };
}

function useLiveOperations(options: LivePhaseOptions): Plugin<object, RequestContext> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { document, operationName, variableValues, contextValue } = args;
      const operation = options.readOperation(document, operationName, variableValues);
      // Variables that do not fit are for the execution to refuse.
      if (!operation) return;
      const explain = contextValue.request.headers.get('x-explain');
      if (explain === 'plan') {
        setResultAndStopExecution({ extensions: { plan: livePlanOf(operation, options) } });
        return;
      }
      if (explain) throw badRequest('A live query has no report: send x-explain: plan.', 400);
      throw (contextValue as Partial<RequestContext>).refusal ?? badRequest(howToAccept, 406);
    },
  };
}

const howToAccept =
  'A live query is a stream: send it by POST, and accept text/event-stream or multipart/mixed;subscriptionSpec=1.0.';

const SECONDS = 60;

/** The plan of the query below `live`, and the REST calls in a minute if nothing else polls for this key. */
function livePlanOf(operation: LiveOperation, options: LivePhaseOptions) {
  const { query, variables } = operation;
  const { intervalMs, callsPerMinute: limit } = options.settings;
  const plan = planOf(operationInfoOf(query, variables), options);
  const everySeconds = intervalMsOf(operation, intervalMs) / 1000;
  const perMinute = (calls: number) => Math.min(Math.ceil((calls * SECONDS) / everySeconds), limit);
  return {
    ...plan,
    live: {
      everySeconds,
      callsPerMinute: perMinute(plan.cost.known),
      atMostPerMinute: perMinute(plan.atMost),
      limitPerMinute: limit,
    },
  };
}
