import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLBoolean,
  GraphQLID,
  GraphQLIncludeDirective,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  GraphQLString,
  getNullableType,
  getOperationAST,
  isListType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { type CompiledOperation, compileOperation } from './compile.ts';
import { bytesOf } from './document.ts';
import { complexityOf, type SelectedOperation, selectOperation, type Values, variablesOf } from './fields.ts';
import type { Check, Phase } from './types.ts';

interface CompilerOptions {
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

  /** The full pipeline repeats an incomplete execution. After two in a row a pause saves the futile ones. */
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
    onExecute: ({ args }: { args: ExecutionArgs }) =>
      compiler.record(args.document, args.operationName, args.variableValues),
  };
}

export type Compiler = ReturnType<typeof createCompiler>;

/** Compiles the operations that are executed more than once. */
export function createCompiler(options: CompilerOptions) {
  const { schema, maxBytes, percent = COMPILE_PERCENT, checksOf, now = () => performance.now() } = options;
  /** Undefined for an operation with one execution so far, null for one that is never compiled. */
  const known = new WeakMap<OperationDefinitionNode, KnownOperation | null | undefined>();
  const compiled = new LRUCache<Variant, CompiledOperation>({ maxSize: Math.max(maxBytes, 1) });
  let nextAtMs = 0;

  function prepare(operation: SelectedOperation): KnownOperation | null {
    const { document } = operation;
    // A compiled operation retains its document, which the document cache may have dropped.
    const bytes = (complexityOf(document).fields + 1) * BYTES_PER_FIELD + bytesOf(document);
    const conditions = bytes <= maxBytes * MAX_SHARE ? conditionsOf(operation) : undefined;
    if (!conditions) return null;
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
    const conditions = Object.fromEntries(one.conditions.map((name) => [name, variables[name]]));
    try {
      compiled.set(variant, compileOperation(one.operation, conditions), { size: one.bytes });
    } catch {
      variant.isCompilable = false;
    }
    const endedAtMs = now();
    nextAtMs = endedAtMs + (endedAtMs - startedAtMs) * (100 / percent - 1);
  }

  return {
    /** Records an execution of an operation; compiles the operation at the second one. */
    record(document: DocumentNode, operationName: OperationName, values: RawValues): void {
      const operation = selectOperation(schema, document, operationName);
      if (!operation) return;
      const node = operation.operation;
      const before = known.get(node);
      const one = before === undefined && known.has(node) ? prepare(operation) : before;
      known.set(node, one);
      const variables = one?.readVariables(values);
      if (one && variables) compile(one, variables);
    },

    /**
     * The compiled operation with the variables of one request; `onExecuted` is to be called after the
     * execution. Undefined where it is not compiled, must be rejected, or was incomplete too often of late.
     */
    find(document: DocumentNode, operationName: OperationName, values: RawValues) {
      const node = getOperationAST(document, operationName);
      const one = node && known.get(node);
      const variables = one?.readVariables(values);
      if (!one || !variables) return undefined;
      const name = variantOf(one, variables);
      const variant = name === undefined ? undefined : one.variants.get(name);
      const execute = variant && compiled.get(variant);
      if (!execute || !passes(one.checks, variables) || !variant.mayExecute()) return undefined;
      return { execute, variables, onExecuted: variant.onExecuted };
    },

    /** The operations that are compiled: their number and their memory in bytes. */
    get usage() {
      return { operations: compiled.size, bytes: compiled.calculatedSize };
    },
  };
}

type OperationName = string | null | undefined;
type RawValues = Values | null | undefined;

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

/**
 * The variables of the operation that occur in a `@skip` or `@include` of its document; undefined where the
 * document has other directives: `@defer` and `@stream` are for the full pipeline.
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

/** Coerces the values of an operation's variables; undefined where one does not fit. */
type ReadVariables = (values: Values | null | undefined) => Values | undefined;

/** As `getVariableValues` of graphql-js, but far cheaper where each value is of its type's usual kind. */
function variablesReader(schema: GraphQLSchema, operation: OperationDefinitionNode): ReadVariables {
  const definitions = operation.variableDefinitions ?? [];
  const variables = definitions.map(({ variable, type }) => ({
    name: variable.name.value,
    isUsual: usual(typeFromAST(schema, type) as GraphQLInputType),
  }));
  return (values) => {
    const coerced: Values = {};
    for (const { name, isUsual } of variables) {
      const value = values?.[name];
      if (!isUsual(value)) return variablesOf(schema, operation, values);
      coerced[name] = value;
    }
    return coerced;
  };
}

/** Whether a value of this type is coerced to itself. */
function usual(type: GraphQLInputType): (value: unknown) => boolean {
  const nullable = getNullableType(type);
  if (nullable === GraphQLID || nullable === GraphQLString) return (value) => typeof value === 'string';
  if (nullable === GraphQLBoolean) return (value) => typeof value === 'boolean';
  if (!isListType(nullable)) return () => false;
  const isElement = usual(nullable.ofType);
  return (value) => Array.isArray(value) && value.every(isElement);
}
