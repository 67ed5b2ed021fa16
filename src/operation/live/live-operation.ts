import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { badUserInput } from '../../errors.ts';
import { textOf } from '../../locations.ts';
import { selectedFields } from '../../schema/selections.ts';
import { checkArguments } from '../checks/arguments.ts';
import { type BudgetOptions, createBudgetCheck } from '../checks/budget.ts';
import {
  fieldsOf,
  fragmentsOf,
  operationInfoOf,
  type SelectedOperation,
  selectOperation,
  variablesOf,
} from '../document/operation-info.ts';
import { executedDocument } from '../execution/execute.ts';
import type { Values } from '../execution/response-text.ts';
import type { Check } from '../types.ts';

/** A subscription to `live`, with the variables of one request. */
export interface LiveOperation {
  /** A digest that is the same for equal operations with equal variables. */
  id: string;
  /** The query below `live`, without `@defer` and `@stream`. Its nodes are those of the document that was sent. */
  query: SelectedOperation;
  /** The name of `live` in the response. */
  responseName: string;
  /** Coerced. */
  variables: Values;
  /** The fields that it may read of what is loaded, as `Client.name`, whatever the variables are. */
  fields: ReadonlySet<string>;
  /** What they take in memory, from the length of their JSON text. */
  variablesBytes: number;
  /** The interval that the operation names, in milliseconds; undefined for none. */
  everyMs: number | undefined;
}

/** What a document says of it, whatever the variables are. */
interface Derived {
  query: SelectedOperation;
  field: FieldNode;
  responseName: string;
  documentHash: string;
  fields: ReadonlySet<string>;
}

/** An operation with what it has to pass at each request. */
interface Prepared extends Derived {
  checks: readonly Check[];
}

export interface LiveOperationOptions extends BudgetOptions {
  /** With live queries. */
  schema: GraphQLSchema;
}

/** The time between two polls that an operation asks for, in milliseconds: `leastMs` or more. */
export function intervalMsOf({ everyMs = 0 }: Pick<LiveOperation, 'everyMs'>, leastMs: number): number {
  return Math.max(everyMs, leastMs);
}

/** Reads live operations from validated documents. */
export type ReadLiveOperation = (
  document: DocumentNode,
  operationName: string | null | undefined,
  values: Values | null | undefined,
) => LiveOperation | undefined;

/**
 * Creates a function that returns undefined for another operation than a subscription, and where a variable does not fit.
 * That function throws a GraphQLError where the operation is refused, by the checks of a query or because of `live` itself.
 */
export function createReadLiveOperation(options: LiveOperationOptions): ReadLiveOperation {
  const { schema } = options;
  const checkBudget = createBudgetCheck(options);
  const known = new WeakMap<OperationDefinitionNode, Prepared>();

  function prepare(document: DocumentNode, operation: OperationDefinitionNode): Prepared {
    const derived = derive(schema, document, operation);
    const { query } = derived;
    const checks = [
      checkArguments({ ...query, document, operation }),
      checkBudget(query),
      healthCheck(query),
    ];
    return { ...derived, checks: checks.filter((check) => check !== undefined) };
  }

  return (document, operationName, values) => {
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return undefined;
    const prepared = known.get(operation) ?? prepare(document, operation);
    known.set(operation, prepared);
    const variables = variablesOf(schema, operation, values);
    if (!variables) return undefined;
    const { query, responseName, documentHash, field, fields, checks } = prepared;
    for (const check of checks) check(variables);
    const text = textOfVariables(variables);
    return {
      id: hash('sha256', JSON.stringify([documentHash, operationName ?? null, text])),
      variablesBytes: 2 * text.length,
      query,
      responseName,
      fields,
      variables,
      everyMs: everyMsOf(schema, field, variables),
    };
  };
}

/** The query that the fields below `live` are. @throws a GraphQLError where it is rejected */
function derive(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Derived {
  const [responseName, fields] = liveFields(schema, document, operation);
  const [field] = fields as [FieldNode];
  const selections = fields.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const queryNode: OperationDefinitionNode = {
    ...operation,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const definitions = [queryNode, ...fragmentsOf(document).values()];
  const query = selectOperation(schema, executedDocument({ ...document, definitions }, null), null);
  if (!query) throw new Error('the schema has no query type');
  const documentHash = hash('sha256', textOf(document));
  return { query, field, responseName, documentHash, fields: fieldsRead(schema, query.document) };
}

/** What the resolvers of all fields in a document may read. */
function fieldsRead(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const read = new Set<string>();
  const types = new TypeInfo(schema);
  const onField = () => {
    const definition = types.getFieldDef();
    if (!definition) return;
    const { include, reads = [] } = definition.extensions;
    for (const field of [`${types.getParentType()}.${definition.name}`, ...reads]) read.add(field);
    if (include) read.add(`Site.${include}`);
  };
  visit(document, visitWithTypeInfo(types, { [Kind.FIELD]: onField }));
  return read;
}

/** The one root field: validation allows no other. */
function liveFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): [string, FieldNode[]] {
  const type = schema.getSubscriptionType();
  const info = { fragments: Object.fromEntries(fragmentsOf(document)), variableValues: {} };
  try {
    const { fields, isConstant } = selectedFields(type as NonNullable<typeof type>, [operation], info);
    const [only] = fields;
    if (only && isConstant) return only;
  } catch {
    // A directive with a variable, which has no value here.
  }
  throw badUserInput('"live" takes neither @skip nor @include.', operation);
}

function healthCheck(query: SelectedOperation): Check {
  return (variables) => {
    const info = operationInfoOf(query, variables);
    const health = fieldsOf(query.query, [query.operation], info).find(
      ({ definition }) => definition.name === 'health',
    );
    const [node] = health?.nodes ?? [];
    if (node) throw badUserInput('"health" cannot be read by "live": send a query.', node);
  };
}

function everyMsOf(schema: GraphQLSchema, field: FieldNode, variables: Values): number | undefined {
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value];
  const { every } = definition ? getArgumentValues(definition, field, variables) : {};
  return typeof every === 'number' ? every * 1000 : undefined;
}

/** In one order. No argument of the schema is an object, so that only the variables themselves need one. */
function textOfVariables(variables: Values): string {
  const names = Object.keys(variables).sort();
  return JSON.stringify(names.map((name) => [name, variables[name]]));
}
