import type { IncomingHttpHeaders } from 'node:http';
import type { Operations } from '../../operation/pipeline.ts';
import { explainField, explainHeader, isPlan } from './header.ts';
import { explainPlan } from './plan.ts';
import { explainReport } from './report.ts';

export { type Cost, formulaOf, listNamesOf } from './cost.ts';
export { explainField } from './header.ts';
export type { Plan } from './plan.ts';
export {
  createPlanner,
  type Fault,
  type OperationPlan,
  type Place,
  type Planner,
  type PlanRequest,
  type PlanSource,
} from './planner.ts';
export type { Report } from './report.ts';

/**
 * The REST calls of an operation, with the request header `x-explain`: those that it would make (`plan`), or
 * those that it made (`report`). `createPlanner` plans documents outside of requests.
 */
export function createExplain(operations: Operations) {
  return {
    header: explainHeader,
    plan: explainPlan(operations),
    report: explainReport,
    isPlan: (headers: IncomingHttpHeaders) => isPlan(headers[explainField]),
  };
}
