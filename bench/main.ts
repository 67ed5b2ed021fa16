import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createContenders } from './contenders/all.ts';
import { startLoadGenerator } from './load/remote.ts';
import { checkAll } from './measure/check.ts';
import { fullPlan, type Plan, quickPlan } from './measure/plan.ts';
import { measureAll, measureLatenciesOf } from './measure/run.ts';
import { measureStartUps } from './measure/start-up.ts';
import { startUpstreams } from './measure/upstreams.ts';
import { leaveFirstCore } from './processes/cores.ts';
import { printResults, printStartUps } from './report/console.ts';
import { readResults, writeReport } from './report/write.ts';
import { workloads } from './workloads/workloads.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    latency: { type: 'boolean', default: false },
    'start-up': { type: 'boolean', default: false },
    against: { type: 'string' },
    contenders: { type: 'string' },
    workloads: { type: 'string' },
    cycles: { type: 'string' },
    node: { type: 'string' },
  },
});

// Everything but nginx runs on that Node.
if (values.node !== undefined && realpathSync(values.node) !== process.execPath) {
  const { status } = spawnSync(values.node, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}

leaveFirstCore();
const contenders = selected(createContenders(values.against?.split(',')), ({ id }) => id, values.contenders);
const load = await startLoadGenerator();
const upstreams = await startUpstreams(load);
try {
  if (values.check) await checkAll(contenders, load, upstreams);
  else if (values.latency)
    writeReport(await measureLatenciesOf(readResults(), fullPlan, contenders, load, upstreams));
  else if (values['start-up'])
    printStartUps({ startUps: await measureStartUps(fullPlan.startUps, upstreams) });
  else if (values.quick) printResults(await measureAll(changed(quickPlan), contenders, load, upstreams));
  else writeReport(await measureAll(changed(fullPlan), contenders, load, upstreams));
} finally {
  await upstreams.stop();
  load.stop();
}

/** A plan with the workloads and cycles of the command line. */
function changed(plan: Plan): Plan {
  const chosen = selected(workloads, ({ short }) => short, values.workloads);
  return {
    ...plan,
    ...(values.workloads !== undefined && { workloads: chosen.map(({ id }) => id) }),
    ...(values.cycles !== undefined && { cycles: Number(values.cycles) }),
  };
}

/** Those whose names are in the comma-separated list; all of them without a list. */
function selected<T>(all: readonly T[], nameOf: (one: T) => string, list: string | undefined): readonly T[] {
  if (list === undefined) return all;
  const names = all.map(nameOf);
  const unknown = list.split(',').filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown}; known: ${names.join(', ')}`);
  return all.filter((one) => list.split(',').includes(nameOf(one)));
}
