import {
  type DocumentNode,
  type ExecutionArgs,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { execute, flattenIncrementalResults } from 'incremental-executor';
import { type IncrementalSpec, incrementalFormatOf } from '../../operation/accept.ts';
import { withoutDirectives, withoutIncremental } from '../../operation/execute.ts';
import { fragmentsOf, type SelectedOperation, selectOperation } from '../../operation/fields.ts';
import type { Phase, RequestContext } from '../../operation/types.ts';

/**
 * Executes an operation with `@defer` or `@stream` in parts where its client accepts a format of them: in v0.1 by
 * the server's own executor, in v0.2 by another (docs/decisions/28-two-executors-for-parts.md).
 */
export const incrementalExecution: Phase = {
  onExecute({ args, setExecuteFn }) {
    const { contextValue } = args;
    const format = incrementalFormatOf(contextValue.request.headers.get('accept'));
    if (!format || withoutIncremental(args.document) === args.document) return;
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
  return 'initialResult' in result ? flattenIncrementalResults(result) : result;
}

/**
 * An operation in a form that the executor executes right, without the others of its document. The executor
 * finds by the node of a field whether it is deferred, so that a fragment that is spread twice would lose fields:
 * each spread gets nodes of its own. And it loses fields where a list is streamed and a fragment with it or in it
 * is deferred: with `@defer` there is no `@stream`. Both directives are optional.
 *
 * The limit on selections bounds how large it becomes. It is made for each execution: what is kept of a document
 * has the size of its text.
 */
function executable({ document, operation }: SelectedOperation): DocumentNode {
  const hasDefer = withoutDirectives(document, ['defer']) !== document;
  const streamed = hasDefer ? withoutDirectives(document, ['stream']) : document;
  const fragments = fragmentsOf(streamed);
  const found = getOperationAST(streamed, operation.name?.value) ?? operation;
  const selectionSet = inlined(found.selectionSet, fragments);
  return { kind: Kind.DOCUMENT, definitions: [{ ...found, selectionSet }] };
}

/** The selections in nodes of their own; those of a fragment take the place of each spread. */
function inlined(
  { kind, selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): SelectionSetNode {
  return { kind, selections: selections.map(inlinedSelection) };

  function inlinedSelection(node: SelectionNode): SelectionNode {
    if (node.kind !== Kind.FRAGMENT_SPREAD) {
      return node.selectionSet
        ? { ...node, selectionSet: inlined(node.selectionSet, fragments) }
        : { ...node };
    }
    const fragment = fragments.get(node.name.value);
    if (!fragment) return node;
    const { typeCondition, selectionSet } = fragment;
    const { directives = [] } = node;
    return {
      kind: Kind.INLINE_FRAGMENT,
      typeCondition,
      directives,
      selectionSet: inlined(selectionSet, fragments),
    };
  }
}
