import { type DocumentNode, type ExecutionArgs, type InlineFragmentNode, Kind, visit } from 'graphql';
import { execute, flattenIncrementalResults } from 'incremental-executor';
import { memoized } from '../../memo.ts';
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
  const alone = selected ? executable(selected.operation, document) : document;
  // Without `signal`: the calls are aborted by themselves, and the executor would need Node 22 for it.
  const operation = { schema, document: alone, contextValue, variableValues, operationName };
  const result = await execute({ ...operation, incrementalSpec });
  return 'initialResult' in result ? flattenIncrementalResults(result) : result;
}

/**
 * An operation in a form that the executor executes right, without the others of its document, which may be as
 * large. The executor knows by the node of a field whether it is deferred, so that a fragment that is spread twice
 * would lose fields: each spread gets nodes of its own. And it loses fields where a list is streamed and a fragment
 * with it or in it is deferred: with `@defer` there is no `@stream`. Both directives are optional.
 */
const executable = memoized(({ name }: SelectedOperation['operation'], document: DocumentNode) => {
  const hasDefer = withoutDirectives(document, ['defer']) !== document;
  return inlined(hasDefer ? withoutDirectives(document, ['stream']) : document, name?.value);
});

/** The operation of this name without fragments, whose selections take the places of their spreads. */
function inlined(document: DocumentNode, operationName: string | undefined): DocumentNode {
  const fragments = fragmentsOf(document);
  return visit(document, {
    [Kind.OPERATION_DEFINITION]: ({ name }) => (name?.value === operationName ? undefined : null),
    [Kind.FRAGMENT_DEFINITION]: () => null,
    [Kind.FRAGMENT_SPREAD]({ name, directives = [] }): InlineFragmentNode | undefined {
      const fragment = fragments.get(name.value);
      if (!fragment) return undefined;
      const { typeCondition, selectionSet } = fragment;
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet };
    },
    [Kind.FIELD]: { leave: (node) => ({ ...node }) },
  });
}
