import type { OperationParts, PipelineCore } from '../../composition.ts';
import type { Extend } from '../../schema/index.ts';
import type { Compiler } from '../compiled/index.ts';
import { createExecuteLive } from './execution.ts';
import { createLive } from './live.ts';
import { createReadLiveOperation, createReadQueryBelow, liveOperations } from './operation.ts';
import { withLiveQueries } from './schema.ts';
import type { LiveSettings } from './settings.ts';

export { liveText } from './schema.ts';
export { liveConfig, liveSettings } from './settings.ts';

interface LiveConfig {
  /** Null: there are no live queries. */
  live: LiveSettings | null;
}

/** The schema with the root field of live queries, if `LIVE` is on. */
export const liveSchema = ({ live }: LiveConfig): Extend[] => (live ? [withLiveQueries] : []);

type LiveParts = Pick<OperationParts, 'phases' | 'lanes' | 'innerQueryOf' | 'gauges'>;

/** Live queries: operations that are executed again when the data changes; `compiler` executes them faster. */
export function liveQueries(core: PipelineCore, { live }: LiveConfig, compiler: Compiler): LiveParts {
  if (!live) return { phases: [], lanes: [], gauges: [] };
  const options = { ...core, live };
  const readOperation = createReadLiveOperation(options);
  const parts = { phases: [liveOperations(readOperation)], innerQueryOf: createReadQueryBelow(options) };
  const { request: send } = core;
  if (!send) return { ...parts, lanes: [], gauges: [] };
  const execute = createExecuteLive({ ...core, compiler });
  const { lane, gauges } = createLive({ ...options, send, readOperation, execute });
  return { ...parts, lanes: [lane], gauges };
}
