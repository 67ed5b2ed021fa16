import { parseArgs } from 'node:util';
import { portico } from '../contenders/portico.ts';
import { respondFromFixtures } from '../fixtures/resources.ts';
import { createClosedLoop } from '../load/closed-loop.ts';
import { spreadOf, textOf } from '../measure/statistics.ts';
import { leaveFirstCore } from '../processes/cores.ts';
import { startServer } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';
import { startNodeUpstream } from '../upstream/node.ts';
import { createTraffic } from '../workloads/requests.ts';
import { workloadOf } from '../workloads/workloads.ts';

const GATEWAYS = 3;
const CONNECTIONS = 32;
const WARM_UP_TURNS = 80;
const TURN_REQUESTS = 500;

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '240' } } });

leaveFirstCore();
const upstream = await startNodeUpstream(respondFromFixtures());
const ratios: number[] = [];
for (let nth = 1; nth <= GATEWAYS; nth += 1) {
  const own = await ratiosOfOneGateway();
  console.log(`gateway ${nth}: ${textOf(spreadOf(own), 3)}`);
  ratios.push(...own);
}
upstream.close();
console.log(`CPU of w2 with RateLimit in each response / without: ${textOf(spreadOf(ratios), 3)}`);
console.log(`The median lies, with a confidence of 95 %, within ${boundsOfMedian(ratios)}`);

/** By the ranks between which the median of a distribution of any form lies. */
function boundsOfMedian(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [middle, ranks] = [sorted.length / 2, 0.98 * Math.sqrt(sorted.length)];
  const bounds = [sorted[Math.floor(middle - ranks)], sorted[Math.ceil(middle + ranks)]];
  return bounds.map((bound) => bound?.toFixed(3)).join('–');
}

async function ratiosOfOneGateway(): Promise<number[]> {
  const gateway = await startServer(portico, upstream);
  const loop = createClosedLoop(
    gateway.url,
    CONNECTIONS,
    createTraffic(workloadOf('clients'), portico.format),
  );

  async function cpuOfTurn(isLimited: boolean): Promise<number> {
    upstream.setLimited(isLimited);
    const before = gateway.usage();
    const { requests } = await loop.run({ requests: TURN_REQUESTS });
    return (cpuBetween(before, gateway.usage()) ?? Number.NaN) / requests;
  }

  try {
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await cpuOfTurn(turn % 2 === 0);
    const own: number[] = [];
    for (let pair = 0; pair < Number(values.pairs); pair += 1) {
      // The order alternates, so that drift cancels.
      const isFirst = pair % 2 === 0;
      const [first, second] = [await cpuOfTurn(isFirst), await cpuOfTurn(!isFirst)];
      own.push(isFirst ? first / second : second / first);
    }
    return own;
  } finally {
    await loop.close();
    await gateway.stop();
  }
}
