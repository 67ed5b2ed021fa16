import type { GraphQLResolveInfo } from 'graphql';

/**
 * Derives a value from the selections of a field, once for the document; for each execution if it varies with the
 * variables, or if the field has several nodes, which the full pipeline lists anew.
 */
export function cacheBySelection<
  I extends Pick<GraphQLResolveInfo, 'fieldNodes' | 'variableValues'>,
  T extends object | number,
>(derive: (info: I) => { value: T; isConstant: boolean }): (info: I) => T {
  const constants = new WeakMap<object, T>();
  const byVariables = new WeakMap<object, WeakMap<object, T>>();
  return (info) => {
    const { fieldNodes, variableValues } = info;
    const [node, another] = fieldNodes;
    const nodes = node && !another ? node : fieldNodes;
    const known = constants.get(nodes) ?? byVariables.get(nodes)?.get(variableValues);
    if (known !== undefined) return known;
    const { value, isConstant } = derive(info);
    if (isConstant) constants.set(nodes, value);
    else byVariables.set(nodes, (byVariables.get(nodes) ?? new WeakMap()).set(variableValues, value));
    return value;
  };
}
