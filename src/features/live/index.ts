import type { IncomingHttpHeaders } from 'node:http';
import type { OperationParts, PipelineCore } from '../../operation/pipeline.ts';
import type { Extend } from '../../schema/sdl.ts';
import type { Compiler } from '../compiled/index.ts';
import { createExecuteLive } from './execution.ts';
import { createLiveLane } from './lane.ts';
import { createLive, type Live } from './live.ts';
import {
  createReadLiveOperation,
  createReadQueryBelow,
  type LiveSettings,
  liveOperations,
} from './operation.ts';

import { withLiveQueries } from './schema.ts';

export { liveText } from './schema.ts';
export { liveConfig, liveSettings } from './settings.ts';

interface LiveQueries extends Pick<OperationParts, 'phases' | 'lanes' | 'innerQueries' | 'gauges'> {
  /** Undefined where there are no live queries, or nothing polls for them. */
  queries: Live | undefined;
}

/** The schema with their root field, where `LIVE` is on. */
export const liveSchema = ({ live }: { live: object | null }): Extend[] => (live ? [withLiveQueries] : []);

/** Live queries: operations that are executed again when the data changes. `compiler` executes them faster. */
export function liveQueries(
  core: PipelineCore,
  { live }: { live: LiveSettings | null },
  compiler: Compiler,
): LiveQueries {
  const { polls } = core;
  if (!live) return { phases: [], lanes: [], innerQueries: [], gauges: [], queries: undefined };
  const options = { ...core, live };
  const readOperation = createReadLiveOperation(options);
  const phases = [liveOperations(readOperation)];
  const innerQueries = [createReadQueryBelow(options)];
  if (!polls) return { phases, lanes: [], innerQueries, gauges: [], queries: undefined };
  const execute = createExecuteLive({ ...core, compiler, maxBytes: core.maxResponseBytes });
  const queries = createLive({ ...options, polls, readOperation, execute, isPlain: isPlainFor(core) });
  return { phases, lanes: [createLiveLane(queries)], innerQueries, gauges: queries.gauges, queries };
}

/** Whether no phase changes a request with these header fields, or adds to its response. */
function isPlainFor({ phases }: PipelineCore) {
  return (headers: IncomingHttpHeaders): boolean =>
    phases().every((phase) => phase.passesHeaders?.(headers) !== false && !phase.extensionsFor?.(headers));
}
