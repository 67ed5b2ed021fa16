import type { Contender } from '../contenders/contender.ts';
import { during } from '../load/closed.ts';
import type { Load } from '../load/remote.ts';
import { startServer } from '../processes/server.ts';
import { isUsageKnown, shareWaited } from '../processes/usage.ts';
import type { Workload } from '../workloads/workloads.ts';
import { createAsker } from './asker.ts';
import { type Backends, backendFor } from './backends.ts';
import type { Plan } from './plan.ts';
import type { Saturation } from './results.ts';

/** Asks a contender as much as it can do, and tells what that cost. */
export async function saturate(
  contender: Contender,
  workload: Workload,
  round: number,
  { connections, warmUp, seconds }: Plan,
  load: Load,
  backends: Backends,
): Promise<Saturation> {
  const upstream = await backendFor(workload, backends, load);
  const server = await startServer(contender, upstream.url);
  const ask = createAsker(load, server, contender, workload, connections);
  try {
    await ask(warmUp);
    const [callsBefore, meetingsBefore] = [await upstream.calls(), await load.call('tally', {})];
    const before = server.usage();
    const outcome = await ask(during(seconds));
    const after = server.usage();
    const [callsAfter, meetingsAfter] = [await upstream.calls(), await load.call('tally', {})];
    const { requests } = outcome;
    const instants = meetingsAfter.instants - meetingsBefore.instants;
    return {
      round,
      workload: workload.id,
      contender: contender.id,
      requests,
      perSecond: requests / outcome.seconds,
      cpuUs: isUsageKnown ? (after.cpuUs - before.cpuUs) / requests : null,
      peakMb: isUsageKnown ? after.peakMb : null,
      calls: (callsAfter - callsBefore) / requests,
      callsPerInstant: workload.isDelayed ? (meetingsAfter.calls - meetingsBefore.calls) / instants : null,
      waitShare: shareWaited(before, after, outcome.seconds),
      loadShare: outcome.loadShare,
    };
  } finally {
    await server.stop();
  }
}
