import {
  type DocumentNode,
  ExecutableDefinitionsRule,
  GraphQLError,
  type GraphQLSchema,
  isExecutableDefinitionNode,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import type { CoreConfig } from '../config/core.ts';
import { memoized } from '../rest/memo.ts';
import { inParallel } from './rules-in-parallel.ts';

/** Returns what is wrong with a document, by the rules for every document. */
export type Validate = (document: DocumentNode) => readonly GraphQLError[];

interface ValidationOptions extends Pick<CoreConfig, 'introspection' | 'maxErrors'> {
  schema: GraphQLSchema;
  /** Those of features. */
  rules: readonly ValidationRule[];
}

/** Validates each document once. */
export function createValidate({ schema, rules, introspection, ...options }: ValidationOptions): Validate {
  const isHidden = introspection === 'off';
  const more = isHidden ? [hasRootType, NoSchemaIntrospectionCustomRule] : [hasRootType];
  // The last of the errors may be that there are too many.
  const maxErrors = Math.max(options.maxErrors - 1, 1);
  let executable: ValidationRule | undefined;
  return memoized((document) => {
    executable ??= inParallel([...specifiedRules, ...more, ...rules]);
    // With types, which cannot be executed, misspelt names would be compared with its own, of any length.
    const isExecutable = document.definitions.every(isExecutableDefinitionNode);
    const rule = isExecutable ? executable : ExecutableDefinitionsRule;
    const errors = errorsBy(rule, schema, document, maxErrors);
    for (const error of errors) {
      // Misspelt names get no suggestions from a hidden schema.
      if (isHidden) error.message = error.message.replace(/ Did you mean .+$/s, '');
      // Until its stack is read, an error retains the objects of the frames in which it was created: many times
      // the memory of the document.
      void error.stack;
      // The server has 400, for each error of a request.
      Object.assign(error.extensions, { http: { spec: true, status: 422 } });
    }
    return errors;
  });
}

/** Rejects operations without a root type in the schema, which GraphQL's own rules leave to the execution. */
const hasRootType: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation)) return;
    const reason = node.operation === 'subscription' ? 'live queries need LIVE=on' : 'the API is read-only';
    const message = `There is no ${node.operation} here: ${reason}.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** The rule for subscriptions throws an error of its own if a directive at the root has a variable. */
function errorsBy(rule: ValidationRule, schema: GraphQLSchema, document: DocumentNode, maxErrors: number) {
  try {
    return validate(schema, document, [rule], { maxErrors });
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}
