import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  getOperationAST,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { badUserInput } from '../../errors.ts';
import { streamDirective } from '../../schema/directives.ts';
import { variablesOf } from '../document/operation-info.ts';

type Values = Record<string, unknown>;

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** What is wrong with arguments that are right one by one; undefined for nothing. */
    flawOfArguments?: (values: Values) => string | undefined;
  }
}

/**
 * Refuses an operation with arguments that no data can make right.
 * @throws a GraphQLError with the code BAD_USER_INPUT
 */
export function checkArguments({ schema, document, operationName, variableValues }: ExecutionArgs): void {
  const fields = checkedFields(schema, document, operationName);
  const operation = fields.length > 0 && getOperationAST(document, operationName);
  if (!operation) return;
  const coerced = variablesOf(schema, operation, variableValues);
  // Variables that do not fit are for the execution to refuse.
  if (coerced) for (const field of fields) check(field, coerced);
}

interface CheckedField {
  node: FieldNode;
  definition: GraphQLField<unknown, unknown>;
}

function check({ node, definition }: CheckedField, variables: Values): void {
  const { flawOfArguments } = definition.extensions;
  const flaw =
    flawOfArguments?.(getArgumentValues(definition, node, variables)) ?? flawOfStream(node, variables);
  if (flaw) throw badUserInput(flaw, node);
}

function flawOfStream(node: FieldNode, variables: Values): string | undefined {
  const values = getDirectiveValues(streamDirective, node, variables);
  return Number(values?.initialCount) < 0 ? '"initialCount" must not be negative.' : undefined;
}

const known = new WeakMap<DocumentNode, Map<string, CheckedField[]>>();

/** The fields of the operation that have something to check: none, in most. */
function checkedFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): CheckedField[] {
  const name = operationName ?? '';
  const byName = known.get(document) ?? new Map<string, CheckedField[]>();
  known.set(document, byName);
  const fields = byName.get(name) ?? findFields(schema, separateOperations(document)[name] ?? document);
  byName.set(name, fields);
  return fields;
}

function findFields(schema: GraphQLSchema, document: DocumentNode): CheckedField[] {
  const found: CheckedField[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const definition = types.getFieldDef();
        const isStreamed = node.directives?.some(
          (directive) => directive.name.value === streamDirective.name,
        );
        const mayBeFlawed = node.arguments?.length && definition?.extensions.flawOfArguments;
        if (definition && (isStreamed || mayBeFlawed)) found.push({ node, definition });
      },
    }),
  );
  return found;
}
