import { type DocumentNode, type ExecutionResult, execute, type GraphQLError, Kind, visit } from 'graphql';
import { incrementalTypeOf } from './request.ts';
import type { Phase } from './types.ts';

/**
 * Executes operations by graphql-js, which keeps the fields in the order of the selection. Only an operation
 * with `@defer` or `@stream`, from a client that accepts incremental delivery, is left to the server's own
 * executor. Both directives are optional: a client that does not accept incremental delivery gets one
 * complete response.
 */
export const execution: Phase = {
  onExecute({ args, setExecuteFn }) {
    const document = executedDocument(args.document, args.contextValue.request.headers.get('accept'));
    const isDeferred = document === args.document && withoutIncremental(document) !== document;
    if (!isDeferred) setExecuteFn(async (args) => inOrder(await execute({ ...args, document })));
  },
};

/** Sorts the errors by their place in the document: the order in which fields fail varies. */
export function inOrder(result: ExecutionResult): ExecutionResult {
  if (!result.errors || result.errors.length < 2) return result;
  return { ...result, errors: result.errors.toSorted(byPlace) };
}

/** Errors at one place in the document differ in the indices of lists. */
function byPlace(a: GraphQLError, b: GraphQLError): number {
  const placeOf = ({ positions, path = [] }: GraphQLError) => [positions?.[0] ?? 0, ...path.map(Number)];
  const other = placeOf(b);
  const differences = placeOf(a).map((index, n) => index - (other[n] ?? Number.NaN));
  // The difference of two names is NaN.
  return differences.find((difference) => Boolean(difference)) ?? 0;
}

/** The document executed for a client: without `@defer` and `@stream` where it does not accept them. */
export function executedDocument(document: DocumentNode, accept: string | null): DocumentNode {
  return incrementalTypeOf(accept) === undefined ? withoutIncremental(document) : document;
}

const known = new WeakMap<DocumentNode, DocumentNode>();

/** The document without `@defer` and `@stream`; the very same where it has none. */
function withoutIncremental(document: DocumentNode): DocumentNode {
  const before = known.get(document);
  if (before) return before;
  const stripped = visit(document, {
    [Kind.DIRECTIVE]: ({ name }) => (['defer', 'stream'].includes(name.value) ? null : undefined),
  });
  // What is derived from the selections of a field is cached by its node, which may spread a fragment that
  // has changed.
  const whole =
    stripped === document ? document : visit(stripped, { [Kind.FIELD]: { leave: (node) => ({ ...node }) } });
  known.set(document, whole);
  return whole;
}
