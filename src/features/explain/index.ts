import type { IncomingHttpHeaders } from 'node:http';
import type { PipelineCore } from '../../composition.ts';
import { callLimit } from './call-limit.ts';
import { explainField, explainHeader } from './header.ts';
import { explainPlan } from './plan.ts';
import { explainReport } from './report.ts';

export {
  type CallsPerMinute,
  type Cost,
  callsPerMinute,
  formulaOf,
  roundsPerMinute,
} from './cost.ts';
export { explainField, maxCallsField, maxCallsOf } from './header.ts';
export type { Plan } from './plan.ts';
export {
  createPlanner,
  type Fault,
  type OperationPlan,
  type Place,
  type PlanSource,
} from './planner.ts';
export type { Report } from './report.ts';
export { serverTiming, timingConfig, timingField } from './timing.ts';

/** The responses to the header field `x-explain`. `createPlanner` plans documents outside of requests. */
export function createExplain(operations: PipelineCore) {
  return {
    header: explainHeader,
    plan: explainPlan(operations),
    callLimit: callLimit(operations),
    report: explainReport,
    isPlan: (headers: IncomingHttpHeaders) => headers[explainField] === 'plan',
  };
}
