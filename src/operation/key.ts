import {
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import { keyRequired } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import { type DocumentLimits, parseWithin } from './document/limits.ts';
import { fragmentsOf } from './document/operation-info.ts';
import type { Phase, RequestContext } from './types.ts';

/**
 * Refuses a request without a usable key, before the response says anything about its document. Where introspection is
 * open, an operation that reads the schema alone passes.
 */
export function requiredKey(introspection: Config['introspection'], limits: DocumentLimits): Phase {
  return { plugins: [useKey(introspection, limits)] };
}

function useKey(
  introspection: Config['introspection'],
  limits: DocumentLimits,
): Plugin<object, RequestContext> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      if (serverContext.loaders) return;
      if (introspection !== 'open') throw keyRequired();
      setRequestParser(async () => {
        const params = await serverContext.readParams().catch(() => undefined);
        if (!params || !readsSchemaOnly(params, limits)) throw keyRequired();
        return params;
      });
    },
  };
}

/** The loaders of an operation without a key: each of them rejects. */
export const refusingLoaders: Loaders = {
  site: refuse,
  conversationContext: refuse,
  health: refuse,
  calls: [],
  budget: { used: 0, limit: 0 },
  loadCount: 0,
  mergesTick: true,
  record: () => undefined,
};

async function refuse(): Promise<never> {
  throw keyRequired();
}

const schemaFields = new Set(['__schema', '__type', '__typename']);

function readsSchemaOnly({ query, operationName }: GraphQLParams, limits: DocumentLimits): boolean {
  if (typeof query !== 'string') return false;
  try {
    const document = parseWithin(limits, query);
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return false;
    const fields = rootFields(operation.selectionSet, fragmentsOf(document));
    return [...fields].every((field) => schemaFields.has(field));
  } catch {
    return false;
  }
}

/** The names of the fields at the root of an operation; `fragments` loses each fragment that was entered. */
function* rootFields(
  { selections }: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
): Generator<string> {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) {
      yield node.name.value;
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      yield* rootFields(node.selectionSet, fragments);
    } else {
      const fragment = fragments.get(node.name.value);
      fragments.delete(node.name.value);
      if (fragment) yield* rootFields(fragment.selectionSet, fragments);
    }
  }
}
