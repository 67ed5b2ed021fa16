import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLError,
  Kind,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { incrementalTypeOf } from '../response/accept.ts';
import type { Phase } from '../types.ts';

/**
 * Executes operations by graphql-js, which keeps the fields in the order of the selection. Only an operation with `@defer`
 * or `@stream`, from a client that accepts incremental delivery, is left to the server's own executor. Both directives are
 * optional: a client that does not accept incremental delivery gets one complete response.
 */
export function execution(): Phase {
  return { plugins: [useExecution()] };
}

function useExecution(): Plugin {
  return {
    onExecute({ args, setExecuteFn }) {
      const document = executedDocument(args.document, args.contextValue.request.headers.get('accept'));
      const isDeferred = document === args.document && withoutIncremental(document) !== document;
      if (!isDeferred) setExecuteFn(async (args) => inOrder(await execute({ ...args, document })));
    },
  };
}

/** Sorts the errors by their place in the document: the order in which fields fail differs from one execution to the next. */
export function inOrder(result: ExecutionResult): ExecutionResult {
  if (!result.errors || result.errors.length < 2) return result;
  return { ...result, errors: result.errors.toSorted(byPlace) };
}

function byPlace(a: GraphQLError, b: GraphQLError): number {
  const byText = (a.positions?.[0] ?? 0) - (b.positions?.[0] ?? 0);
  return byText !== 0 ? byText : byPath(a.path ?? [], b.path ?? []);
}

/** Errors at one place in the document differ in the indices of lists. */
function byPath([a, ...restOfA]: Path, [b, ...restOfB]: Path): number {
  if (a === undefined || b === undefined) return 0;
  return (typeof a === 'number' && typeof b === 'number' && a - b) || byPath(restOfA, restOfB);
}

/** The document that is executed for a client: without `@defer` and `@stream` where it does not accept them. */
export function executedDocument(document: DocumentNode, accept: string | null): DocumentNode {
  return incrementalTypeOf(accept) === undefined ? withoutIncremental(document) : document;
}

type Path = readonly (string | number)[];

const known = new WeakMap<DocumentNode, DocumentNode>();

/** The document without `@defer` and `@stream`; the very same where it has none. */
function withoutIncremental(document: DocumentNode): DocumentNode {
  const before = known.get(document);
  if (before) return before;
  const stripped = visit(document, { [Kind.DIRECTIVE]: dropIncremental });
  // What is derived from the selections of a field is cached by its node, which may spread a fragment that has changed.
  const whole = stripped === document ? document : visit(stripped, { [Kind.FIELD]: { leave: copied } });
  known.set(document, whole);
  return whole;
}

function copied(node: FieldNode): FieldNode {
  return { ...node };
}

function dropIncremental({ name }: { name: { value: string } }): null | undefined {
  return name.value === 'defer' || name.value === 'stream' ? null : undefined;
}
