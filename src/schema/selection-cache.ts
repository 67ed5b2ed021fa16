import type { FieldNode, GraphQLResolveInfo } from 'graphql';

/** What is derived from the selections of a field. */
export interface Derived<T> {
  value: T;
  /** Whether it is the same for all values of the variables. */
  isConstant: boolean;
}

type FieldInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'variableValues'>;

/**
 * Derives a value from the selections of a field once: for the document, where no variable has an influence on it, which
 * is so for most fields; else for each execution, whose variables are an object of their own.
 */
export function cacheBySelection<I extends FieldInfo, T extends object | number>(
  derive: (info: I) => Derived<T>,
): (info: I) => T {
  const constant = new WeakMap<FieldNode, T>();
  const byVariables = new WeakMap<readonly FieldNode[], WeakMap<object, T>>();
  return (info) => {
    const { fieldNodes, variableValues } = info;
    const [node, another] = fieldNodes;
    const single = another ? undefined : node;
    const known = (single && constant.get(single)) ?? byVariables.get(fieldNodes)?.get(variableValues);
    if (known !== undefined) return known;
    const { value, isConstant } = derive(info);
    if (single && isConstant) {
      constant.set(single, value);
    } else {
      const ofNodes = byVariables.get(fieldNodes) ?? new WeakMap<object, T>();
      byVariables.set(fieldNodes, ofNodes.set(variableValues, value));
    }
    return value;
  };
}
