import { parseArgs } from 'node:util';
import { createContenders } from './contenders/all.ts';
import { startLoadGenerator } from './load/remote.ts';
import { checkAll } from './measure/check.ts';
import { fullPlan, type Plan, quickPlan } from './measure/plan.ts';
import { writeResults } from './measure/results.ts';
import { measureAll } from './measure/run.ts';
import { leaveFirstCore } from './processes/cores.ts';
import { recordAll } from './record.ts';
import { printResults } from './report/console.ts';
import { startUpstreams } from './upstream/upstreams.ts';
import { workloads } from './workloads/workloads.ts';

const { values } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    /** Given by `--record`: the commit whose results this Node records. */
    'of-commit': { type: 'string' },
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    contenders: { type: 'string' },
    workloads: { type: 'string' },
    cycles: { type: 'string' },
  },
});

if (values.record) recordAll();
else await measure();

async function measure(): Promise<void> {
  leaveFirstCore();
  const contenders = selected(createContenders(values.against?.split(',')), values.contenders);
  const commit = values['of-commit'] ?? null;
  const load = await startLoadGenerator();
  const upstreams = await startUpstreams(load);
  try {
    if (values.check) await checkAll(contenders, load, upstreams.fast);
    else if (commit !== null) writeResults(await measureAll(fullPlan(contenders), commit, load, upstreams));
    else {
      const plan = values.quick ? quickPlan(contenders) : fullPlan(contenders);
      printResults(await measureAll(changed(plan), null, load, upstreams));
    }
  } finally {
    await upstreams.stop();
    load.stop();
  }
}

/** A plan with the workloads and cycles of the command line. */
function changed(plan: Plan): Plan {
  return {
    ...plan,
    ...(values.workloads !== undefined && { workloads: selected(workloads, values.workloads) }),
    ...(values.cycles !== undefined && { cycles: Number(values.cycles) }),
  };
}

/** Those whose ids are in the comma-separated list; all of them without a list. */
function selected<T extends { id: string }>(all: readonly T[], list: string | undefined): readonly T[] {
  if (list === undefined) return all;
  const ids = all.map(({ id }) => id);
  const unknown = list.split(',').filter((id) => !ids.includes(id));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown}; known: ${ids.join(', ')}`);
  return all.filter(({ id }) => list.split(',').includes(id));
}
