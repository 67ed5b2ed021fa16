import { parseArgs } from 'node:util';
import { createContenders } from './contenders/all.ts';
import type { Contender } from './contenders/contender.ts';
import { startLoadGenerator } from './load/remote.ts';
import { checkAll } from './measure/check.ts';
import { fullPlan, type Plan, quickPlan } from './measure/plan.ts';
import { measureAll } from './measure/run.ts';
import { startUpstreams } from './measure/upstreams.ts';
import { leaveFirstCore } from './processes/cores.ts';
import { printResults } from './report/console.ts';
import { writeReport } from './report/write.ts';
import { workloads } from './workloads/workloads.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    /** With --quick: a folder with another built Portico, as one more contender. */
    against: { type: 'string' },
    /** With --quick: the workloads, such as `w2,w5`; the contenders, such as `portico,portico-against`; the turns of each. */
    workloads: { type: 'string' },
    contenders: { type: 'string' },
    cycles: { type: 'string' },
  },
});

leaveFirstCore();
const contenders = createContenders(values.against);
const load = await startLoadGenerator();
const upstreams = await startUpstreams(load);
try {
  if (values.check) await checkAll(contenders, load, upstreams);
  else if (values.quick)
    printResults(await measureAll(quickPlanOf(values), chosen(contenders), load, upstreams));
  else writeReport(await measureAll(fullPlan, contenders, load, upstreams));
} finally {
  await upstreams.stop();
  load.stop();
}

function chosen(all: readonly Contender[]): readonly Contender[] {
  const ids = values.contenders?.split(',');
  return ids ? all.filter(({ id }) => ids.includes(id)) : all;
}

function quickPlanOf({ workloads: shorts, cycles }: { workloads?: string; cycles?: string }): Plan {
  const ids = workloads.filter(({ short }) => shorts?.split(',').includes(short)).map(({ id }) => id);
  return {
    ...quickPlan,
    ...(shorts !== undefined && { workloads: ids }),
    ...(cycles !== undefined && { cycles: Number(cycles) }),
  };
}
