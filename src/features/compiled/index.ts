import type { PipelineCore } from '../../composition.ts';
import { createBudgetCheck } from '../../operation/checks.ts';
import { type Compiler, createCompiler } from './compiler.ts';
import { createFastPath } from './fast-path.ts';

export type { Compiler };

/**
 * The fast path: operations that are compiled, and executed without the plugins of the server; and the compiler, for
 * other lanes.
 */
export function compiledOperations(core: PipelineCore) {
  const { compiledBytes } = core;
  const compiler = createCompiler({
    schema: core.schema,
    maxBytes: compiledBytes,
    checkOf: createBudgetCheck(core),
    report: (error) => core.mask(error, 'Unexpected error.'),
  });
  if (compiledBytes === 0) return { compiler, lanes: [], gauges: compiler.gauges };
  const { lane, gauge } = createFastPath(core, compiler);
  return { compiler, lanes: [lane], gauges: [...compiler.gauges, gauge] };
}
