import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import type { Context } from '../../schema/builder.ts';
import { includesOf } from '../../schema/look-ahead.ts';
import { fragmentsOf, type SelectedOperation } from '../document/operation-info.ts';
import { objectWriter, type ProjectedField } from './projection.ts';
import { Execution, type Values } from './response-text.ts';

/** Executes an operation; see the callback of `Execution`. */
export type CompiledOperation = (
  context: Context,
  variables: Values,
  maxBytes: number,
  onText: (text: string | undefined) => void,
) => void;

/**
 * Compiles an operation into closures over the fields of the schema: from the values of its variables to the loads, and from
 * what was loaded to the text of the response. `conditions` are the variables of its `@skip` and `@include`: with other values
 * of these it is another compiled operation, so that no directive is left to evaluate.
 * @throws where it cannot be compiled
 */
export function compileOperation(
  { document, operation, query }: SelectedOperation,
  conditions: Values,
): CompiledOperation {
  const fields: ProjectedField[] = [];
  const writeRoot = objectWriter(query, [operation], {
    path: undefined,
    fragments: Object.fromEntries(fragmentsOf(document)),
    variableValues: conditions,
    onField: (field) => fields.push(field),
  });
  const mergesTick = loadsDiffer(fields);
  return (context, variables, maxBytes, onText) => {
    context.loaders.mergesTick = mergesTick;
    new Execution(context, variables, maxBytes, onText).start((_, out, execution) => {
      out.text += '{"data":';
      writeRoot(undefined, out, execution);
      // After the gaps, if there are any.
      out.text += '}';
    });
  };
}

/** Whether one load may enlarge another: two fields load the same kind of resource with other relations. */
function loadsDiffer(fields: readonly ProjectedField[]): boolean {
  const includes = new Map<GraphQLObjectType, string>();
  return fields.some(({ definition, info }) => {
    const { resources, resourceInData } = definition.extensions;
    const type = getNamedType(definition.type);
    if (!(resources || resourceInData) || !isObjectType(type)) return false;
    const include = includesOf(info).toSorted().join();
    const before = includes.get(type);
    includes.set(type, include);
    return before !== undefined && before !== include;
  });
}
