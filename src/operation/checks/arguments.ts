import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { badUserInput } from '../../errors.ts';
import { streamDirective } from '../../schema/directives.ts';
import type { SelectedOperation } from '../document/operation-info.ts';
import type { Check } from '../types.ts';

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
export function checkArguments(operation: SelectedOperation): Check | undefined {
  const fields = checkedFields(operation);
  if (fields.length === 0) return undefined;
  return (variables) => {
    for (const field of fields) check(field, variables);
  };
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

const known = new WeakMap<OperationDefinitionNode, CheckedField[]>();

/** The fields of the operation that have something to check: none, in most. */
function checkedFields({ schema, document, operation }: SelectedOperation): CheckedField[] {
  const name = operation.name?.value ?? '';
  const fields = known.get(operation) ?? findFields(schema, separateOperations(document)[name] ?? document);
  known.set(operation, fields);
  return fields;
}

function findFields(schema: GraphQLSchema, document: DocumentNode): CheckedField[] {
  const found: CheckedField[] = [];
  // To follow the types costs as much as a tenth of the validation.
  if (!document.definitions.some((node) => mayBeChecked(node, checkedNames(schema)))) return found;
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

const namesBySchema = new WeakMap<GraphQLSchema, Set<string>>();

/** The names of the fields whose arguments are checked. */
function checkedNames(schema: GraphQLSchema): Set<string> {
  const before = namesBySchema.get(schema);
  if (before) return before;
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const names = new Set(
    fields.filter(({ extensions }) => extensions.flawOfArguments).map(({ name }) => name),
  );
  namesBySchema.set(schema, names);
  return names;
}

/** Whether a node has a field of these names or a `@stream` below it. */
function mayBeChecked(node: DefinitionNode | SelectionNode, names: Set<string>): boolean {
  if (node.kind === Kind.FIELD) {
    const isStreamed = node.directives?.some(({ name }) => name.value === streamDirective.name);
    if (isStreamed || names.has(node.name.value)) return true;
  }
  const selections = 'selectionSet' in node ? node.selectionSet?.selections : undefined;
  return selections?.some((selection) => mayBeChecked(selection, names)) ?? false;
}
