import { type DocumentNode, type ExecutionResult, execute, type GraphQLError, visit } from 'graphql';
import { memoized } from '../rest/memo.ts';
import type { Phase, RequestContext } from './types.ts';

/** Executes operations by graphql-js, without `@defer` and `@stream`, unless a phase executes them in parts. */
export const execution: Phase = {
  onExecute({ args, setExecuteFn }) {
    if ((args.contextValue as Partial<RequestContext>).isInParts) return;
    const document = withoutIncremental(args.document);
    setExecuteFn(async (args) => inOrder(await execute({ ...args, document })));
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

/** The document without `@defer` and `@stream`; the very same if it has none. */
export const withoutIncremental = memoized(
  (document: DocumentNode): DocumentNode => withoutDirectives(document, ['defer', 'stream']),
);

/** The document without these directives; the very same if it has none of them. */
export function withoutDirectives(document: DocumentNode, names: readonly string[]): DocumentNode {
  const stripped = visit(document, {
    Directive: ({ name }) => (names.includes(name.value) ? null : undefined),
  });
  // Values derived from the selections of a field are cached by its node, which may spread a fragment that
  // has changed.
  return stripped === document ? document : visit(stripped, { Field: { leave: (node) => ({ ...node }) } });
}
