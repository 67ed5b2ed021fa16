import {
  type DocumentNode,
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
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  typeFromAST,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Gauge } from '../../observers/gauges.ts';
import { bytesOf } from '../../operation/document.ts';
import {
  complexityOf,
  type SelectedOperation,
  selectOperation,
  type Values,
  variablesOf,
} from '../../operation/fields.ts';
import type { Check } from '../../operation/types.ts';
import { memoized } from '../../rest/memo.ts';
import { documentText } from '../../schema/locations.ts';
import { type CompiledOperation, compileOperation, type Report } from './compile.ts';

interface CompilerOptions {
  schema: GraphQLSchema;
  /** Memory limit of the compiled operations in bytes; the least recently used ones are dropped. */
  maxBytes: number;
  /** Returns the check of an operation before each execution, if it needs one. */
  checkOf(operation: SelectedOperation): Check | undefined;
  report: Report;
}

/** An operation that may be compiled. */
interface KnownOperation {
  operation: SelectedOperation;
  readVariables: ReadVariables;
  check: Check | undefined;
  /** The variables of `@skip` and `@include`. */
  conditions: readonly string[];
  /** By the values of the conditions. */
  variants: Map<string, Variant>;
  /** Memory of a compiled variant, with its document. */
  bytes: number;
}

/** An operation for certain values of its conditions. */
class Variant {
  /** The number of executions that the full pipeline alone makes. */
  pause = 0;
  #incompleteInARow = 0;

  /** The full pipeline repeats an incomplete execution. After two in a row a pause saves the futile ones. */
  readonly onExecuted = (isComplete: boolean): void => {
    this.#incompleteInARow = isComplete ? 0 : this.#incompleteInARow + 1;
    if (this.#incompleteInARow >= 2) this.pause = PAUSE;
  };

  /** True if it is to be executed; counts the pause down. */
  mayExecute(): boolean {
    if (this.pause === 0) return true;
    this.pause -= 1;
    return false;
  }
}

/** Measured, and rounded up. */
const BYTES_PER_SELECTION = 1536;
/** Largest share of the memory limit for one operation. */
const MAX_SHARE = 1 / 8;
/** The most variants of one operation; further ones are not compiled. */
const MAX_VARIANTS = 32;
/** Executions by the full pipeline alone, after two incomplete ones in a row. */
const PAUSE = 15;

export type Compiler = ReturnType<typeof createCompiler>;

/** Compiles operations when they are executed, also for one execution: no other way to execute costs less. */
export function createCompiler({ schema, maxBytes, checkOf, report }: CompilerOptions) {
  const compiled = new LRUCache<Variant, CompiledOperation>({ maxSize: Math.max(maxBytes, 1) });

  /** Null for an operation that is never compiled. */
  const prepare = memoized((node: OperationDefinitionNode, document: DocumentNode): KnownOperation | null => {
    const operation = selectOperation(schema, document, node.name?.value);
    // A compiled operation retains its document, which the document cache may have dropped.
    const bytes = (complexityOf(document).selections + 1) * BYTES_PER_SELECTION + bytesOf(document);
    const isQuery = node.operation === OperationTypeNode.QUERY && bytes <= maxBytes * MAX_SHARE;
    const conditions = operation && isQuery ? conditionsOf(operation) : undefined;
    if (!operation || !conditions) return null;
    const readVariables = variablesReader(schema, node);
    return { operation, readVariables, check: checkOf(operation), conditions, variants: new Map(), bytes };
  });

  function compile(one: KnownOperation, variant: Variant, variables: Values): CompiledOperation {
    const conditions = Object.fromEntries(one.conditions.map((name) => [name, variables[name]]));
    // If it throws, it is not tried again.
    variant.pause = Infinity;
    const operation = compileOperation(one.operation, conditions, report);
    variant.pause = 0;
    return operation;
  }

  return {
    /**
     * The operation of a valid document, compiled, with the variables of one request; `onExecuted` is to be
     * called after the execution. Undefined if it cannot be compiled, must be rejected, or was incomplete
     * too often of late. `isKept`: it is compiled for further executions too.
     */
    find(document: DocumentNode, name: OperationName, values: RawValues, isKept: boolean) {
      const node = getOperationAST(document, name);
      const one = node && prepare(node, document);
      const variables = one?.readVariables(values);
      if (!one || !variables) return undefined;
      const variant = variantOf(one, variables);
      try {
        one.check?.(variables);
        if (!variant?.mayExecute()) return undefined;
        const known = compiled.get(variant);
        const operation = known ?? compile(one, variant, variables);
        if (!known && isKept) compiled.set(variant, operation, { size: one.bytes });
        const { execute, merges } = operation;
        return { execute, merges, variables, onExecuted: variant.onExecuted };
      } catch (error) {
        report(error);
        return undefined;
      }
    },

    gauges: [
      {
        name: 'portico_compiled_operations',
        help: 'Compiled operations in memory',
        read: () => compiled.size,
      },
      {
        name: 'portico_compiled_bytes',
        help: 'Estimated memory of the compiled operations',
        read: () => compiled.calculatedSize,
      },
    ] satisfies Gauge[],
  };
}

type OperationName = string | null | undefined;
type RawValues = Values | null | undefined;

/** Undefined if a condition is null, which is an error, and for one variant too many. */
function variantOf({ conditions, variants }: KnownOperation, variables: Values): Variant | undefined {
  let key = '';
  for (const name of conditions) {
    const value = variables[name];
    if (typeof value !== 'boolean') return undefined;
    key += value ? '1' : '0';
  }
  const known = variants.get(key);
  if (known || variants.size >= MAX_VARIANTS) return known;
  const variant = new Variant();
  variants.set(key, variant);
  return variant;
}

/**
 * The variables of the operation that occur in a `@skip` or `@include` of its document; undefined if the
 * document has other directives: `@defer` and `@stream` are for the full pipeline.
 */
function conditionsOf({ document, operation }: SelectedOperation): string[] | undefined {
  if (!documentText(document).includes('@')) return [];
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

/** Coerces the values of an operation's variables; undefined if one does not fit. */
type ReadVariables = (values: Values | null | undefined) => Values | undefined;

/** As `getVariableValues` of graphql-js, but far cheaper if each value is of its type's usual kind. */
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

/** Returns true for a value of this type that is coerced to itself. */
function usual(type: GraphQLInputType): (value: unknown) => boolean {
  const nullable = getNullableType(type);
  if (nullable === GraphQLID || nullable === GraphQLString) return (value) => typeof value === 'string';
  if (nullable === GraphQLBoolean) return (value) => typeof value === 'boolean';
  if (isScalarType(nullable) && nullable.extensions.passesThrough) return (value) => value != null;
  if (!isListType(nullable)) return () => false;
  const isElement = usual(nullable.ofType);
  return (value) => Array.isArray(value) && value.every(isElement);
}
