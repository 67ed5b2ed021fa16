import {
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Config } from '../config.ts';
import { keyRequired } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import type { RequestContext } from './pipeline.ts';

/**
 * Refuses a request that comes without a usable key, before anything is said about its document. Where the schema is
 * open to anybody, an operation that reads nothing but the schema passes.
 */
export function useKey(introspection: Config['introspection']): Plugin<object, RequestContext> {
  return {
    onRequestParse({ serverContext, requestParser, setRequestParser }) {
      if (serverContext.loaders) return;
      if (introspection !== 'open' || !requestParser) throw keyRequired();
      const parsed = async (request: Request) => requestParser(request);
      setRequestParser(async (request) => {
        const params = await parsed(request).catch(() => undefined);
        if (!isParams(params) || !readsSchemaOnly(params)) throw keyRequired();
        return params;
      });
    },
  };
}

/** What an operation without a key would read with: nothing. */
export const refusingLoaders: Loaders = {
  site: refuse,
  conversationContext: refuse,
  health: refuse,
  calls: [],
};

async function refuse(): Promise<never> {
  throw keyRequired();
}

function isParams(parsed: unknown): parsed is GraphQLParams {
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
}

const schemaFields = new Set(['__schema', '__type', '__typename']);

function readsSchemaOnly({ query, operationName }: GraphQLParams): boolean {
  if (typeof query !== 'string') return false;
  try {
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return false;
    const fragments = new Map(
      document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
      ),
    );
    return [...rootFields(operation.selectionSet, fragments)].every((field) => schemaFields.has(field));
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
