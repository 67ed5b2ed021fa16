import { type DocumentNode, type ExecutionResult, type GraphQLSchema, Kind, visit } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../schema/builder.ts';

/** An operation as a function: what it makes of values for its variables, as they came. */
type Compiled = (
  context: Context,
  variables: Record<string, unknown> | null | undefined,
) => ExecutionResult | Promise<ExecutionResult>;

/** Operations that are worth compiling, and those that were. */
export interface Compiler {
  /** Notes that an operation was executed, and compiles it when that is not the first time. */
  note(document: DocumentNode, operationName: string | null | undefined): void;
  get(document: DocumentNode, operationName: string | null | undefined): Compiled | undefined;
}

export interface CompilerOptions {
  schema: GraphQLSchema;
  /** How many operations are kept compiled, the most recently used ones. */
  capacity: number;
  /** How many of a hundred parts of the time compiling may take, whatever callers send. */
  percent: number;
  /** A clock that only goes forward, in milliseconds. */
  now?: () => number;
}

/** One operation of one document. */
interface Known {
  isCompilable: boolean;
}

export function createCompiler({
  schema,
  capacity,
  percent,
  now = () => performance.now(),
}: CompilerOptions): Compiler {
  // A document that nobody keeps takes its operations along.
  const known = new WeakMap<DocumentNode, Map<string, Known>>();
  const compiled = new LRUCache<Known, Compiled>({ max: capacity });
  let nextAtMs = 0;

  function compile(document: DocumentNode, operationName: string | null | undefined): Compiled | undefined {
    const startedAtMs = now();
    if (startedAtMs < nextAtMs) return undefined;
    // What fails is executed once more in another way, and that tells where it failed.
    const result = compileQuery(schema, document, operationName ?? undefined, {
      disablingCapturingStackErrors: true,
    });
    const endedAtMs = now();
    nextAtMs = endedAtMs + (endedAtMs - startedAtMs) * (100 / percent - 1);
    if (!isCompiledQuery(result)) return undefined;
    return (context, variables) => result.query(undefined, context, variables);
  }

  return {
    note(document, operationName) {
      const name = nameOf(operationName);
      const ofDocument = known.get(document) ?? new Map<string, Known>();
      known.set(document, ofDocument);
      const operation = ofDocument.get(name);
      if (!operation) ofDocument.set(name, { isCompilable: isCompilable(document) });
      else if (operation.isCompilable && !compiled.has(operation)) {
        const made = compile(document, operationName);
        if (made) compiled.set(operation, made);
      }
    },
    get(document, operationName) {
      const operation = known.get(document)?.get(nameOf(operationName));
      return operation && compiled.get(operation);
    },
  };
}

/** No operation is named by nothing. */
function nameOf(operationName: string | null | undefined): string {
  return operationName ?? '';
}

/**
 * Whether a document may become code. The compiler writes texts into it, and takes some of them for more than that: so
 * only those pass that can be nothing else. An object has no field `__proto__` to write to.
 */
function isCompilable(document: DocumentNode): boolean {
  let isPlain = true;
  visit(document, {
    [Kind.STRING]({ value }) {
      isPlain &&= /^[a-zA-Z0-9-]*$/.test(value);
    },
    [Kind.DIRECTIVE]({ name }) {
      isPlain &&= name.value === 'skip' || name.value === 'include';
    },
    [Kind.NAME]({ value }) {
      isPlain &&= value !== '__proto__';
    },
  });
  return isPlain;
}
