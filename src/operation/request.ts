import { type DocumentNode, getOperationAST, Kind, OperationTypeNode } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import { badRequest, keyRequired } from '../schema/errors.ts';
import type { Loaders } from '../schema/loaders.ts';
import { acceptedIn, narrowAccept } from './accept.ts';
import { type DocumentLimits, parseWithin } from './document.ts';
import { writtenRootFields } from './fields.ts';
import type { Phase } from './types.ts';

/**
 * Rejects a request without a usable key, before the response says anything about its document. Where
 * introspection is open, an operation that reads the schema alone passes.
 */
export function requiredKey(
  { introspection }: Pick<CoreConfig, 'introspection'>,
  limits: DocumentLimits,
): Phase {
  const open = new Set(['__schema', '__type', '__typename', ...limits.describing]);
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      if (serverContext.calls) return;
      if (introspection !== 'open') throw keyRequired();
      setRequestParser(async () => {
        const params = await serverContext.readParams().catch(() => undefined);
        if (!params || !readsOnly(open, params, limits)) throw keyRequired();
        return params;
      });
    },
  };
}

const reject = () => Promise.reject(keyRequired());

/** The loaders of an operation without a key: each of them rejects. */
export const rejectingLoaders: Loaders = { site: reject, conversationContext: reject, health: reject };

function readsOnly(
  fields: ReadonlySet<string>,
  { query, operationName }: GraphQLParams,
  limits: DocumentLimits,
): boolean {
  if (typeof query !== 'string') return false;
  try {
    const document = parseWithin(limits, query);
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return false;
    return writtenRootFields(document, operation).every(({ name }) => fields.has(name.value));
  } catch {
    return false;
  }
}

/**
 * Rejects a request that accepts no media type of a response (406), and one without a document. The HTTP
 * layer reads the parameters: it has the limits, and quotes nothing of a body that it cannot read.
 */
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

/** Rejects a request for no operation, or for one that its document does not have: by its cause. */
export const requestedOperation: Phase = {
  onParse({ context }) {
    const { params } = context as { params?: GraphQLParams };
    return ({ result }) => {
      const problem =
        result instanceof Error ? undefined : problemOfName(result as DocumentNode, params?.operationName);
      if (problem) throw badRequest(problem, 422);
    };
  },
};

/** Why the document has no operation of this name, and what to send instead; undefined where it has one. */
function problemOfName(document: DocumentNode, name: unknown): string | undefined {
  if (typeof name !== 'string' && name != null) return 'The "operationName" must be a text.';
  if (getOperationAST(document, name)) return undefined;
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation: add one to its other definitions.';
  const names = listed(operations.flatMap((node) => node.name?.value ?? []));
  const isAlone = operations.length === 1;
  const leaving = isAlone ? `Leave the "operationName" out${names && `, or send ${names}`}.` : '';
  const remedy = leaving || (names ? `Send ${names}.` : 'Give each operation a name, and send one of these.');
  if (name == null)
    return `The document has ${operations.length} operations, and the request names none. ${remedy}`;
  if (name === '') return `The "operationName" is empty. ${remedy}`;
  // What is no name may be a misplaced API key.
  const cause = `The document has no operation ${isName(name) ? `"${name}"` : 'of this name'}`;
  const isLiteral = ['null', 'undefined'].includes(name);
  return `${cause}${isLiteral ? ': this text is a name, and no absent value' : ''}. ${remedy}`;
}

/** Whether a text is a name in GraphQL, no longer than people write them. */
export function isName(text: string): boolean {
  return /^[_a-z]\w{0,99}$/i.test(text);
}

const MAX_LISTED = 5;

/** The names, of which one is to be chosen; empty for none. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  const quoted = names.slice(0, MAX_LISTED).map((name) => `"${name}"`);
  return (names.length > 1 ? 'one of ' : '') + quoted.join(', ') + (more > 0 ? ` or ${more} more` : '');
}
