import type { OperationParts, PipelineCore } from '../../composition.ts';
import { UpstreamRequest } from '../../rest/call.ts';
import type { Extend } from '../../schema/index.ts';
import type { Compiler } from '../compiled/index.ts';
import { createExecuteLive } from './execution.ts';
import { createPolls } from './key-polls.ts';
import { createLive, type Live } from './live.ts';
import { createReadLiveOperation, createReadQueryBelow, liveOperations } from './operation.ts';
import { withLiveQueries } from './schema.ts';
import type { LiveSettings } from './settings.ts';
import { createLiveLane } from './stream.ts';

export { liveText } from './schema.ts';
export { liveConfig, liveSettings } from './settings.ts';

interface LiveQueries extends Pick<OperationParts, 'phases' | 'lanes' | 'innerQueryOf' | 'gauges'> {
  /** Undefined if there are no live queries, or operations are only read. */
  queries: Live | undefined;
}

/** The schema with their root field, where `LIVE` is on. */
export const liveSchema = ({ live }: { live: object | null }): Extend[] => (live ? [withLiveQueries] : []);

interface LiveConfig {
  /** Null: there are none. */
  live: LiveSettings | null;
}

/** Live queries: operations that are executed again when the data changes; `compiler` executes them faster. */
export function liveQueries(core: PipelineCore, { live }: LiveConfig, compiler: Compiler): LiveQueries {
  if (!live) return { phases: [], lanes: [], gauges: [], queries: undefined };
  const options = { ...core, live };
  const readOperation = createReadLiveOperation(options);
  const phases = [liveOperations(readOperation)];
  const innerQueryOf = createReadQueryBelow(options);
  const { request: send } = core;
  if (!send) return { phases, lanes: [], innerQueryOf, gauges: [], queries: undefined };
  const polls = createPolls({
    ...live,
    send(caller, target) {
      const request = new UpstreamRequest(caller, target);
      request.noCache = true;
      request.noRetry = true;
      return send(request);
    },
  });
  const execute = createExecuteLive({ ...core, compiler });
  const queries = createLive({ ...options, polls, readOperation, execute });
  return { phases, lanes: [createLiveLane(queries)], innerQueryOf, gauges: queries.gauges, queries };
}
