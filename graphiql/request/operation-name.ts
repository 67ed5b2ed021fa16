import { Kind, parse } from 'graphql';

/**
 * `name`, if the document has an operation of that name. After a change of the tab GraphiQL knows the names
 * in the new document a moment later, and would send the last one.
 */
export function operationNameIn(query: string, name: string | null | undefined): string | undefined {
  if (name === null || name === undefined) return undefined;
  try {
    const { definitions } = parse(query);
    const isFound = definitions.some(
      (definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.name?.value === name,
    );
    return isFound ? name : undefined;
  } catch {
    return name;
  }
}
