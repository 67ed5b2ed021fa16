import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { ConversationId, Input, SiteId } from '../../input.ts';
import type { PlanOptions } from './plan.ts';

export type Values = Readonly<Record<string, unknown>>;

/** What a plan takes for the variables that have no value. */
export interface Assumptions {
  /** The values, one object for each combination of the Boolean variables. */
  alternatives: Values[];
  /** The variables that count as a list of so many ids. */
  lists: { variable: string; length: number }[];
  /** The Boolean variables. */
  booleans: string[];
}

/** Each further Boolean variable doubles the number of plans. */
export const MAX_BOOLEANS = 6;

/** No valid id has a control character. */
const MARK = '\u0000';

/**
 * Values for the variables of an operation that must have one and have none: any id, a list of as many ids as are allowed,
 * every combination of Boolean values. Undefined where there are more than `MAX_BOOLEANS` of these.
 */
export function assume(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Values,
  maxIds: number,
): Assumptions | undefined {
  const fixed: Record<string, unknown> = {};
  const lists: Assumptions['lists'] = [];
  const booleans: string[] = [];
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node) as GraphQLInputType | undefined;
    if (given[name] !== undefined) fixed[name] = given[name];
    else if (node.kind !== Kind.NON_NULL_TYPE || defaultValue || !type) continue;
    else if (String(getNullableType(type)) === 'Boolean') booleans.push(name);
    else if (isListType(getNullableType(type))) {
      fixed[name] = Array.from({ length: maxIds }, (_, n) => `${MARK}$${name}${MARK}${n}`);
      lists.push({ variable: `$${name}`, length: maxIds });
    } else fixed[name] = numeric.has(String(getNullableType(type))) ? 1 : `${MARK}$${name}${MARK}`;
  }
  if (booleans.length > MAX_BOOLEANS) return undefined;
  const alternatives = booleans.reduce<Values[]>(
    (all, name) => all.flatMap((values) => [true, false].map((value) => ({ ...values, [name]: value }))),
    [fixed],
  );
  return { alternatives, lists, booleans };
}

const numeric = new Set(['Int', 'Float']);

/** Options that accept the assumed ids, and name their variable in the path of a call: `/v1/site/{$id}`. */
export function withAssumedIds({ input, toPath, ...options }: PlanOptions): PlanOptions {
  const isAssumed = (text: string) => text.startsWith(MARK);
  const assumedInput: Input = {
    ...input,
    siteId: (text) => (isAssumed(text) ? (text as SiteId) : input.siteId(text)),
    conversationId: (text) => (isAssumed(text) ? (text as ConversationId) : input.conversationId(text)),
  };
  return {
    ...options,
    input: assumedInput,
    toPath({ kind, id }, include) {
      if (id === null || !isAssumed(id)) return toPath({ kind, id }, include);
      return toPath({ kind, id: null }, include).replace('{id}', `{${id.split(MARK)[1]}}`);
    },
  };
}
