import type { GraphiQLPlugin } from '@graphiql/react';
import { panelIcon } from '../panel-icon.tsx';
import { useStore } from '../store.ts';
import { AccessNote } from './access/access-note.tsx';
import { explainMode } from './mode.ts';
import { ModeSwitch } from './mode-switch.tsx';
import { PlanView } from './plan/plan-view.tsx';
import { ReportView } from './report/report-view.tsx';

/** The panel with the REST calls of an operation: before it is executed, and after. */
export const costPlugin: GraphiQLPlugin = {
  title: 'REST calls',
  // The bars of a waterfall.
  icon: panelIcon('M2 4h8M6 10h7M11 16h7', 2.6),
  content: CostPanel,
};

function CostPanel() {
  const mode = useStore(explainMode);
  return (
    <section className="portico-cost" aria-label="REST calls">
      <div className="portico-cost-header">
        <h2>REST calls</h2>
        <ModeSwitch />
      </div>
      <AccessNote />
      {mode === 'off' ? null : <PlanView />}
      {mode === 'report' ? <ReportView /> : null}
    </section>
  );
}
