import type { Contender } from '../contenders/contender.ts';
import type { Extent } from '../load/closed.ts';
import type { Load } from '../load/remote.ts';
import type { Server } from '../processes/server.ts';
import type { Workload } from '../workloads/workloads.ts';

/** Asks a contender that runs as much as it can do, for as long or as often as it is told. */
export function createAsker(
  load: Load,
  { url }: Server,
  { dialect }: Contender,
  { id: workload }: Workload,
  connections: number,
) {
  return (extent: Extent) => load.call('closed', { url, workload, dialect, connections, extent });
}
