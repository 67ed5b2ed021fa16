export { callLimit, maxCallsField, maxCallsHeader, maxCallsOf } from './call-limit.ts';
export {
  type CallsPerMinute,
  type Cost,
  callsPerMinute,
  formulaOf,
  roundsPerMinute,
} from './cost.ts';
export { explainField, explainHeader, isPlan } from './header.ts';
export { explainPlan, type Plan } from './plan.ts';
export {
  createPlanner,
  type Fault,
  type OperationPlan,
  type Place,
  type PlanSource,
} from './planner.ts';
export { explainReport, type Report } from './report.ts';
export { serverTiming, timingConfig, timingField } from './timing.ts';
