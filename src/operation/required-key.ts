import { getOperationAST, OperationTypeNode, visit } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import { keyRequired } from '../schema/errors.ts';
import type { Loaders } from '../schema/loaders.ts';
import { type DocumentLimits, parseWithin } from './document.ts';
import { introspectionFields } from './fields.ts';
import type { Phase } from './types.ts';

/** Rejects a request without a usable key. If introspection is open, an operation on the schema alone passes. */
export function requiredKey(options: DocumentLimits & Pick<CoreConfig, 'introspection'>): Phase {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      if (serverContext.calls) return;
      if (options.introspection !== 'open') throw keyRequired();
      setRequestParser(async () => {
        const params = await serverContext.readParams().catch(() => undefined);
        if (!params || !readsSchemaOnly(params, options)) throw keyRequired();
        return params;
      });
    },
  };
}

const reject = () => Promise.reject(keyRequired());

export const rejectingLoaders: Loaders = { site: reject, conversationContext: reject, health: reject };

/** True if no operation of the document reads data. */
function readsSchemaOnly({ query, operationName }: GraphQLParams, limits: DocumentLimits): boolean {
  if (typeof query !== 'string') return false;
  try {
    const document = parseWithin(limits, query);
    if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY) return false;
    let isOpen = true;
    visit(document, {
      // Fragments on other types are below the root.
      FragmentDefinition: ({ typeCondition }) => (typeCondition.name.value === 'Query' ? undefined : false),
      Field({ name }) {
        isOpen &&= introspectionFields.has(name.value) || name.value === '__typename';
        return false;
      },
    });
    return isOpen;
  } catch {
    return false;
  }
}
