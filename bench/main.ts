import { parseArgs } from 'node:util';
import { startLoad } from './load/remote.ts';
import { writeReport } from './report/write.ts';
import { startBackends } from './rounds/backends.ts';
import { checkAll } from './rounds/check.ts';
import { measureAll } from './rounds/measure.ts';
import { fullPlan, quickPlan } from './rounds/plan.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

const load = await startLoad();
const backends = await startBackends(load);
try {
  if (values.check) await checkAll(load, backends);
  else writeReport(await measureAll(values.quick ? quickPlan : fullPlan, load, backends));
} finally {
  await backends.stop();
  load.stop();
}
