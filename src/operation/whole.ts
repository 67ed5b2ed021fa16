import { type DocumentNode, type ExecutionResult, execute, type GraphQLError, Kind, visit } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { partsTypeOf } from './accept.ts';

/**
 * Has graphql-js execute every operation that is answered whole: it keeps the fields in the order of the selection.
 * Only where an operation puts something off and its caller accepts parts, the server's own executor runs. To put off
 * is a wish, and a caller that accepts no parts could not read its fulfilment.
 */
export function useWholeExecution(): Plugin {
  return {
    onExecute({ args, setExecuteFn }) {
      const document = executedDocument(args.document, args.contextValue.request.headers.get('accept'));
      const putsOff = document === args.document && wholeOf(document) !== document;
      if (!putsOff) setExecuteFn(async (asked) => inOrder(await execute({ ...asked, document })));
    },
  };
}

/** Its errors as the operation asks for what they are about: in the order in which things fail, no two answers would be equal. */
function inOrder(result: ExecutionResult): ExecutionResult {
  if (!result.errors || result.errors.length < 2) return result;
  return { ...result, errors: result.errors.toSorted(byPlace) };
}

function byPlace(a: GraphQLError, b: GraphQLError): number {
  const byText = (a.positions?.[0] ?? 0) - (b.positions?.[0] ?? 0);
  return byText !== 0 ? byText : byPath(a.path ?? [], b.path ?? []);
}

/** What one place in the text has several errors for differs in the places of lists. */
function byPath([a, ...restOfA]: Path, [b, ...restOfB]: Path): number {
  if (a === undefined || b === undefined) return 0;
  return (typeof a === 'number' && typeof b === 'number' && a - b) || byPath(restOfA, restOfB);
}

/** The document as its caller gets it executed: without what puts off, unless he accepts parts. */
export function executedDocument(document: DocumentNode, accept: string | null): DocumentNode {
  return partsTypeOf(accept) === undefined ? wholeOf(document) : document;
}

type Path = readonly (string | number)[];

const known = new WeakMap<DocumentNode, DocumentNode>();

/** The document without `@defer` and `@stream`; the very same where it has none. */
function wholeOf(document: DocumentNode): DocumentNode {
  const whole = known.get(document) ?? visit(document, { [Kind.DIRECTIVE]: dropPuttingOff });
  known.set(document, whole);
  return whole;
}

function dropPuttingOff({ name }: { name: { value: string } }): null | undefined {
  return name.value === 'defer' || name.value === 'stream' ? null : undefined;
}
