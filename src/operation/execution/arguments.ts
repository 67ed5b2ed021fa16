import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql';
import type { Values } from './response-text.ts';

/** Reads the arguments of a field from the values of the variables. @throws where they do not fit */
export type ReadArguments = (variables: Values) => Values;

/** @throws where the arguments do not fit, whatever the variables are */
export function argumentsReader(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const given = node.arguments ?? [];
  if (!given.some(({ value }) => hasVariable(value))) {
    const constant = getArgumentValues(field, node);
    return () => constant;
  }
  const all = (variables: Values) => getArgumentValues(field, node, variables);
  const names = given.map(variableOf);
  const isPlain = given.length === field.args.length && names.every((name) => name !== undefined);
  return isPlain ? plainReader(given, names as string[], all) : all;
}

/** For a field with a variable for each argument: a variable is of its argument's type, and coerced already. */
function plainReader(given: readonly ArgumentNode[], names: readonly string[], all: ReadArguments) {
  return (variables: Values) => {
    const values: Values = {};
    for (let n = 0; n < names.length; n += 1) {
      const name = names[n] as string;
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      // Absent or null: a default, or an error.
      if (value == null) return all(variables);
      values[(given[n] as ArgumentNode).name.value] = value;
    }
    return values;
  };
}

function variableOf({ value }: ArgumentNode): string | undefined {
  return value.kind === Kind.VARIABLE ? value.name.value : undefined;
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
