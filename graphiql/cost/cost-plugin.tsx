import type { GraphiQLPlugin } from '@graphiql/react';
import { useStore } from '../store.ts';
import { isExplained, ModeSwitch } from './mode-switch.tsx';
import { PlanView } from './plan/plan-view.tsx';
import { ReportView } from './report/report-view.tsx';

/** The panel with the REST calls of an operation: before it is executed, and after. */
export const costPlugin: GraphiQLPlugin = { title: 'REST calls', icon: Icon, content: CostPanel };

/** The bars of a waterfall. */
function Icon() {
  return (
    <svg viewBox="0 0 20 20" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" aria-hidden="true">
      <path d="M2 4h8M6 10h7M11 16h7" />
    </svg>
  );
}

function CostPanel() {
  const isOn = useStore(isExplained) === 'on';
  return (
    <section className="portico-cost" aria-label="REST calls">
      <div className="portico-cost-header">
        <h2>REST calls</h2>
        <ModeSwitch />
      </div>
      {isOn ? <PlanView /> : null}
      {isOn ? <ReportView /> : null}
    </section>
  );
}
