import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../schema/builder.ts';
import { complexityOf } from '../document/complexity.ts';
import { fragmentsOf } from '../document/operation-info.ts';
import type { Phase } from '../types.ts';

/** Executes one operation with the values of its variables, as the client sent them. */
export type CompiledOperation = (
  context: Context,
  variables: Record<string, unknown> | null | undefined,
) => ExecutionResult | Promise<ExecutionResult>;

/** Compiles the operations that are executed more than once. */
export interface Compiler {
  /** Records an execution of an operation; compiles the operation at the second one. */
  record(document: DocumentNode, operationName: string | null | undefined): void;
  get(document: DocumentNode, operationName: string | null | undefined): CompiledOperation | undefined;
  readonly usage: { operations: number; bytes: number };
}

export interface CompilerOptions {
  schema: GraphQLSchema;
  /** Memory limit of the compiled operations in bytes; the least recently used ones are dropped. */
  maxBytes: number;
  /** Percentage of the time that compiling may take. */
  percent: number;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/** One operation of one document. */
interface Known {
  isCompilable: boolean;
  /** Memory of the compiled operation. */
  bytes: number;
}

/** Measured, and rounded up: code, and what it refers to. */
const BYTES_PER_FIELD = 6144;
/** Largest share of the memory limit for one operation. */
const MAX_SHARE = 1 / 8;

/** Has the compiler record every operation that the full pipeline executes. */
export function compilation(compiler: Compiler): Phase {
  return {
    plugins: [
      {
        onExecute: ({ args }: { args: ExecutionArgs }) => compiler.record(args.document, args.operationName),
      },
    ],
  };
}

export function createCompiler({
  schema,
  maxBytes,
  percent,
  now = () => performance.now(),
}: CompilerOptions): Compiler {
  const known = new WeakMap<DocumentNode, Map<string, Known>>();
  const compiled = new LRUCache<Known, CompiledOperation>({ maxSize: Math.max(maxBytes, 1) });
  let nextAtMs = 0;

  function compile(
    document: DocumentNode,
    operationName: string | null | undefined,
  ): CompiledOperation | undefined {
    const startedAtMs = now();
    if (startedAtMs < nextAtMs) return undefined;
    // An operation that fails takes the full pipeline, which reports the errors.
    const result = compileQuery(schema, document, operationName ?? undefined, {
      disablingCapturingStackErrors: true,
    });
    const endedAtMs = now();
    nextAtMs = endedAtMs + (endedAtMs - startedAtMs) * (100 / percent - 1);
    if (!isCompiledQuery(result)) return undefined;
    return (context, variables) => result.query(undefined, context, variables);
  }

  function knownFrom(document: DocumentNode): Known {
    const bytes = (complexityOf(document).fields + 1) * BYTES_PER_FIELD;
    const isSmall = bytes <= maxBytes * MAX_SHARE;
    return { bytes, isCompilable: isSmall && isPlain(document) && isInOrder(document) };
  }

  return {
    record(document, operationName) {
      const name = nameOf(operationName);
      const ofDocument = known.get(document) ?? new Map<string, Known>();
      known.set(document, ofDocument);
      const operation = ofDocument.get(name);
      if (!operation) ofDocument.set(name, knownFrom(document));
      else if (operation.isCompilable && !compiled.has(operation)) {
        const made = compile(document, operationName);
        if (made) compiled.set(operation, made, { size: operation.bytes });
      }
    },
    get(document, operationName) {
      const operation = known.get(document)?.get(nameOf(operationName));
      return operation && compiled.get(operation);
    },
    get usage() {
      return { operations: compiled.size, bytes: compiled.calculatedSize };
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
function isPlain(document: DocumentNode): boolean {
  let plain = true;
  visit(document, {
    [Kind.STRING]({ value }) {
      plain &&= /^[a-zA-Z0-9-]*$/.test(value);
    },
    [Kind.DIRECTIVE]({ name }) {
      plain &&= name.value === 'skip' || name.value === 'include';
    },
    [Kind.NAME]({ value }) {
      plain &&= value !== '__proto__';
    },
  });
  return plain;
}

/**
 * Whether the fields of a response have one order, whatever the variables are. The compiler puts a field where its name
 * is met first; where that is switched off, it belongs to where the name is met next.
 */
function isInOrder(document: DocumentNode): boolean {
  let isConditional = false;
  visit(document, {
    [Kind.DIRECTIVE]() {
      isConditional = true;
    },
  });
  if (!isConditional) return true;
  const fragments = fragmentsOf(document);
  return document.definitions.every(
    (node) => node.kind !== Kind.OPERATION_DEFINITION || !hasNameTwice(node.selectionSet, fragments),
  );
}

function hasNameTwice(selections: SelectionSetNode, fragments: ReturnType<typeof fragmentsOf>): boolean {
  const names = new Set<string>();
  for (const { alias, name, selectionSet } of fieldsIn(selections, fragments)) {
    const { value } = alias ?? name;
    if (names.has(value) || (selectionSet && hasNameTwice(selectionSet, fragments))) return true;
    names.add(value);
  }
  return false;
}

/** The fields of one object, through all fragments. */
function* fieldsIn(
  { selections }: SelectionSetNode,
  fragments: ReturnType<typeof fragmentsOf>,
): Generator<FieldNode> {
  for (const node of selections) {
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    if (fragment?.kind === Kind.FIELD) yield fragment;
    else if (fragment) yield* fieldsIn(fragment.selectionSet, fragments);
  }
}
