import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../../errors.ts';
import { operationInfoOf } from '../document/operation-info.ts';
import { type Plan, type PlanOptions, planOf } from '../explain/plan.ts';
import type { Phase, RequestContext } from '../types.ts';
import type { LiveSettings } from './live.ts';
import {
  createReadLiveOperation,
  intervalMsOf,
  type LiveOperation,
  type LiveOperationOptions,
  type ReadLiveOperation,
} from './live-operation.ts';

export interface LivePhaseOptions extends PlanOptions, LiveOperationOptions {
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
  const readPlannedOperation = createReadPlannedOperation(options);
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { document, operationName, variableValues, contextValue } = args;
      const explain = contextValue.request.headers.get('x-explain');
      const read = explain === 'plan' ? readPlannedOperation : options.readOperation;
      const operation = read(document, operationName, variableValues);
      // Variables that do not fit are for the execution to refuse.
      if (!operation) return;
      if (explain === 'plan') {
        setResultAndStopExecution({ extensions: { plan: livePlanOf(operation, options) } });
        return;
      }
      if (explain) throw badRequest('A live query has no report: send x-explain: plan.', 400);
      const { refusal } = contextValue as Partial<RequestContext>;
      setResultAndStopExecution({ errors: [refusal ?? badRequest(howToAccept, 406)] });
    },
  };
}

const howToAccept =
  'A live query is a stream: send it by POST, and accept text/event-stream or multipart/mixed;subscriptionSpec=1.0.';

const SECONDS = 60;

/** Reads live operations for a plan, which shows what is too expensive. */
export function createReadPlannedOperation(options: LiveOperationOptions): ReadLiveOperation {
  return createReadLiveOperation({ ...options, maxUpstreamCalls: Infinity, maxResources: Infinity });
}

export interface LivePlan extends Plan {
  live: { everySeconds: number; callsPerMinute: number; atMostPerMinute: number; limitPerMinute: number };
}

/** The plan of the query below `live`, and the REST calls in a minute if nothing else polls for this key. */
export function livePlanOf(
  operation: LiveOperation,
  options: PlanOptions & { settings: LiveSettings },
): LivePlan {
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
