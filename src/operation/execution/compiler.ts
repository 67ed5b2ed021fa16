import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  Kind,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { complexityOf } from '../document/complexity.ts';
import { bytesOf } from '../document/limits.ts';
import { type SelectedOperation, selectOperation } from '../document/operation-info.ts';
import type { Check, Phase } from '../types.ts';
import { type CompiledOperation, compileOperation } from './compile.ts';
import type { Values } from './response-text.ts';
import { type ReadVariables, variablesReader } from './variables.ts';

/** A compiled operation, with the variables of one request. */
interface Executable {
  execute: CompiledOperation;
  variables: Values;
  /** To be called after the execution. */
  onExecuted(isComplete: boolean): void;
}

/** Compiles the operations that are executed more than once. */
export interface Compiler {
  /** Records an execution of an operation; compiles the operation at the second one. */
  record(document: DocumentNode, operationName: OperationName, variables: RawValues): void;
  /** Undefined where it is not compiled, has to be refused, or was incomplete too often of late. */
  find(document: DocumentNode, operationName: OperationName, variables: RawValues): Executable | undefined;
  readonly usage: { operations: number; bytes: number };
}

type OperationName = string | null | undefined;
type RawValues = Values | null | undefined;

export interface CompilerOptions {
  schema: GraphQLSchema;
  /** Memory limit of the compiled operations in bytes; the least recently used ones are dropped. */
  maxBytes: number;
  /** Percentage of the time that compiling may take. */
  percent?: number | undefined;
  /** What an operation has to pass before each execution. */
  checksOf(operation: SelectedOperation): Check[];
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

/** An operation that was executed at least twice. */
interface KnownOperation {
  operation: SelectedOperation;
  readVariables: ReadVariables;
  checks: Check[];
  /** The variables of `@skip` and `@include`. */
  conditions: readonly string[];
  /** By the values of the conditions. */
  variants: Map<string, Variant>;
  /** Memory of a compiled variant, with its document. */
  bytes: number;
}

/** An operation for certain values of its conditions. */
class Variant {
  isCompilable: boolean;
  #incompleteInARow = 0;
  #pause = 0;

  constructor(isCompilable: boolean) {
    this.isCompilable = isCompilable;
  }

  /** An incomplete execution is repeated by the full pipeline. After two of them a pause saves the futile ones. */
  readonly onExecuted = (isComplete: boolean): void => {
    this.#incompleteInARow = isComplete ? 0 : this.#incompleteInARow + 1;
    if (this.#incompleteInARow >= 2) this.#pause = PAUSE;
  };

  /** Whether to execute it; counts the pause down. */
  mayExecute(): boolean {
    if (this.#pause === 0) return true;
    this.#pause -= 1;
    return false;
  }
}

/** Clients that send new operations all the time slow others down by a tenth at most. */
const COMPILE_PERCENT = 10;
/** Measured, and rounded up. */
const BYTES_PER_FIELD = 1536;
/** Largest share of the memory limit for one operation. */
const MAX_SHARE = 1 / 8;
/** The most variants of one operation; further ones are not compiled. */
const MAX_VARIANTS = 32;
/** Executions by the full pipeline alone, after two incomplete ones in a row. */
const PAUSE = 15;

/** Has the compiler record every operation that the full pipeline executes. */
export function compilation(compiler: Compiler): Phase {
  return {
    plugins: [
      {
        onExecute: ({ args }: { args: ExecutionArgs }) =>
          compiler.record(args.document, args.operationName, args.variableValues),
      },
    ],
  };
}

export function createCompiler(options: CompilerOptions): Compiler {
  const { schema, maxBytes, percent = COMPILE_PERCENT, checksOf, now = () => performance.now() } = options;
  /** By document and operation name: undefined for one execution so far, null for what is never compiled. */
  const known = new WeakMap<DocumentNode, Map<string, KnownOperation | null | undefined>>();
  const compiled = new LRUCache<Variant, CompiledOperation>({ maxSize: Math.max(maxBytes, 1) });
  let nextAtMs = 0;

  function prepare(document: DocumentNode, operationName: OperationName): KnownOperation | null {
    const operation = selectOperation(schema, document, operationName);
    // A compiled operation retains its document, which the document cache may have dropped.
    const bytes = (complexityOf(document).fields + 1) * BYTES_PER_FIELD + bytesOf(document);
    const isSmall = bytes <= maxBytes * MAX_SHARE;
    const conditions = operation && isSmall ? conditionsOf(operation) : undefined;
    if (!operation || !conditions) return null;
    const readVariables = variablesReader(schema, operation.operation);
    return { operation, readVariables, checks: checksOf(operation), conditions, variants: new Map(), bytes };
  }

  function compile(one: KnownOperation, variables: Values): void {
    const name = variantOf(one, variables);
    if (name === undefined) return;
    const variant = one.variants.get(name) ?? new Variant(one.variants.size < MAX_VARIANTS);
    const startedAtMs = now();
    if (!variant.isCompilable || compiled.has(variant) || startedAtMs < nextAtMs) return;
    one.variants.set(name, variant);
    try {
      compiled.set(variant, compileOperation(one.operation, valuesOf(one, variables)), { size: one.bytes });
    } catch {
      variant.isCompilable = false;
    }
    const endedAtMs = now();
    nextAtMs = endedAtMs + (endedAtMs - startedAtMs) * (100 / percent - 1);
  }

  return {
    record(document, operationName, values) {
      const name = operationName ?? '';
      const ofDocument = known.get(document) ?? new Map<string, KnownOperation | null | undefined>();
      known.set(document, ofDocument);
      if (!ofDocument.has(name)) {
        ofDocument.set(name, undefined);
        return;
      }
      const before = ofDocument.get(name);
      const one = before === undefined ? prepare(document, operationName) : before;
      ofDocument.set(name, one);
      const variables = one?.readVariables(values);
      if (one && variables) compile(one, variables);
    },
    find(document, operationName, values) {
      const one = known.get(document)?.get(operationName ?? '');
      const variables = one?.readVariables(values);
      if (!one || !variables) return undefined;
      const name = variantOf(one, variables);
      const variant = name === undefined ? undefined : one.variants.get(name);
      const execute = variant && compiled.get(variant);
      if (!execute || !passes(one.checks, variables) || !variant.mayExecute()) return undefined;
      return { execute, variables, onExecuted: variant.onExecuted };
    },
    get usage() {
      return { operations: compiled.size, bytes: compiled.calculatedSize };
    },
  };
}

function passes(checks: readonly Check[], variables: Values): boolean {
  try {
    for (const check of checks) check(variables);
    return true;
  } catch {
    return false;
  }
}

/** The values of the conditions, as one text; undefined where one is null, which is an error. */
function variantOf({ conditions }: KnownOperation, variables: Values): string | undefined {
  let variant = '';
  for (const name of conditions) {
    const value = variables[name];
    if (typeof value !== 'boolean') return undefined;
    variant += value ? '1' : '0';
  }
  return variant;
}

function valuesOf({ conditions }: KnownOperation, variables: Values): Values {
  return Object.fromEntries(conditions.map((name) => [name, variables[name]]));
}

/**
 * The variables of the operation that occur in a `@skip` or `@include` of its document; undefined where the document has
 * other directives: `@defer` and `@stream` are for the full pipeline.
 */
function conditionsOf({ document, operation }: SelectedOperation): string[] | undefined {
  const names = new Set<string>();
  let hasOthers = false;
  visit(document, {
    [Kind.DIRECTIVE]({ name, arguments: given }) {
      hasOthers ||= name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name;
      for (const { value } of given ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  if (hasOthers) return undefined;
  const declared = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  return declared.filter((name) => names.has(name));
}
