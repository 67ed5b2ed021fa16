import {
  type ASTVisitor,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  type ValidationContext,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../config.ts';
import type { Phase } from '../types.ts';

/** Validates with the rules of GraphQL and our own. A document in the cache has passed them. */
export function validation(introspection: Config['introspection']): Phase {
  const own = [useRootTypes(), useReadStacks()];
  return { plugins: introspection === 'off' ? [...own, useHiddenSchema()] : own };
}

/** Refuses operations without a root type in the schema; GraphQL's own rules leave it to the execution to notice. */
function useRootTypes(): Plugin {
  const rule = (context: ValidationContext): ASTVisitor => ({
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation)) return;
      const isLive = node.operation === OperationTypeNode.SUBSCRIPTION;
      const reason = isLive ? 'live queries need LIVE=on' : 'the API is read-only';
      const message = `There is no ${node.operation} here: ${reason}.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  });
  return { onValidate: ({ addValidationRule }) => addValidationRule(rule) };
}

/** Hides the schema: refuses introspection, and leaves out the suggestions for misspelt names. */
function useHiddenSchema(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ result }) => {
        for (const error of result) error.message = error.message.replace(/ Did you mean .+$/s, '');
      };
    },
  };
}

/**
 * The errors of a document are cached with it. Until its stack is read, an error retains the objects of the frames in which
 * it was created: many times the memory of the document.
 */
function useReadStacks(): Plugin {
  return {
    onValidate:
      () =>
      ({ result }) => {
        for (const error of result) void error.stack;
      },
  };
}
