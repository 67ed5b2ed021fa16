import { getOperationAST, OperationTypeNode, visit } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import { badRequest, keyRequired } from '../schema/errors.ts';
import type { Loaders } from '../schema/loaders.ts';
import { acceptedIn, narrowAccept } from './accept.ts';
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

/** Rejects a request that accepts no media type of a response (406), and one without a document. */
export const acceptedRequest: Phase = {
  onRequestParse({ request, serverContext, setRequestParser }) {
    const accept = request.headers.get('accept') ?? '';
    const ranges = acceptedIn(accept);
    // Why a stream was not opened is reported to a client that accepts nothing but the stream, too.
    if (ranges.length > 0 || accept.trim() === '' || serverContext.streamRejection) {
      narrowAccept(request, ranges.join());
      setRequestParser(() => serverContext.readParams());
      return;
    }
    narrowAccept(request, 'application/json');
    throw badRequest('Accept application/graphql-response+json or application/json.', 406);
  },
  onParams({ params }) {
    if (params.query == null) throw badRequest('Send a GraphQL document, as "query".', 422);
  },
  onSubscribe({ args: { contextValue } }) {
    const { request } = contextValue;
    // The server has no multipart form for a response to a subscription, and would send 406 without a body.
    if (!/json|text/.test(request.headers.get('accept') ?? '')) narrowAccept(request, 'application/json');
  },
};
