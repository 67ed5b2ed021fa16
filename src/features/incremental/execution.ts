import { type DocumentNode, type ExecutionArgs, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { execute, flattenIncrementalResults } from 'incremental-executor';
import type { IncrementalSpec } from '../../operation/accept.ts';
import { fragmentsOf, type SelectedOperation, selectOperation } from '../../operation/fields.ts';
import { type IncrementalResult, mapEach } from '../../operation/results.ts';
import type { Phase, RequestContext } from '../../operation/types.ts';
import { partsFormatOf } from './deferral.ts';

/**
 * Executes an operation with `@defer` or `@stream` in parts if its client accepts a format of them: in v0.1 by
 * the server's own executor, in v0.2 by another (docs/decisions/28-two-executors-for-parts.md).
 */
export const incrementalExecution: Phase = {
  onExecute({ args, setExecuteFn }) {
    const { contextValue } = args;
    const accept = contextValue.request.headers.get('accept');
    const format = partsFormatOf(accept, args.document, args.operationName);
    if (!format) return;
    Object.assign(contextValue, { isInParts: true } satisfies Partial<RequestContext>);
    if (format.spec === 'v0.1') return;
    setExecuteFn((args: ExecutionArgs) => executeInParts(args, format.spec));
  },
};

async function executeInParts(args: ExecutionArgs, incrementalSpec: IncrementalSpec) {
  const { schema, document, contextValue, variableValues, operationName } = args;
  const selected = selectOperation(schema, document, operationName);
  const alone = selected ? executable(selected) : document;
  // Without `signal`: the calls are aborted by themselves, and the executor would need Node 22 for it.
  const operation = { schema, document: alone, contextValue, variableValues, operationName };
  const result = await execute({ ...operation, incrementalSpec });
  if (!('initialResult' in result)) return result;
  return mapEach(flattenIncrementalResults(result), entriesInOrder());
}

/** Orders the entries of each part: the executor puts those for an item of a list before the item. */
function entriesInOrder() {
  const depths = new Map<string, number>();
  const depthOf = ({ id = '' }: IncrementalResult) => depths.get(id) ?? 0;
  return (part: IncrementalResult): IncrementalResult => {
    for (const { id, path } of part.pending ?? []) depths.set(id, path.length);
    const { incremental } = part;
    return incremental
      ? { ...part, incremental: incremental.toSorted((a, b) => depthOf(a) - depthOf(b)) }
      : part;
  };
}

/**
 * An operation in a form that the executor executes right, without the others of its document. The executor
 * finds by the node of a field whether it is deferred, so that a fragment that is spread twice would lose fields:
 * each spread gets nodes of its own. The limit on selections bounds how large it becomes. It is made for each
 * execution: what is kept of a document has the size of its text.
 */
function executable({ document, operation }: SelectedOperation): DocumentNode {
  const fragments = fragmentsOf(document);
  const alone: OperationDefinitionNode = visit(operation, {
    Field: (node) => ({ ...node }),
    FragmentSpread({ name, directives }) {
      const { typeCondition, selectionSet } = fragments.get(name.value) ?? {};
      return selectionSet && { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet };
    },
  });
  return { kind: Kind.DOCUMENT, definitions: [alone] };
}
