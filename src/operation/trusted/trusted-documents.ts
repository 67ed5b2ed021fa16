import type { DocumentNode } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { badRequest, persistedQueryRefused } from '../../errors.ts';
import type { Phase, RequestContext } from '../types.ts';
import { isTrusted, type TrustedDocument, type TrustedDocuments } from './manifest.ts';

export interface TrustOptions {
  documents: TrustedDocuments;
  /** Whether nothing else is executed. */
  only: boolean;
}

const onlyTrusted = 'Only trusted documents are executed: send a documentId, and no query.';
const noDocuments =
  'No trusted documents are configured: send the document as the "query", or set TRUSTED_DOCUMENTS on the gateway.';

/** Replaces the id of a trusted document by the document. Comes before the phases that need a text. */
export function trustedDocuments(trust: TrustOptions | undefined): Phase {
  return { plugins: [trust ? useTrustedDocuments(trust) : useNoTrustedDocuments()] };
}

function useTrustedDocuments(trust: TrustOptions): Plugin<object, RequestContext> {
  const requested = new WeakMap<object, DocumentNode>();
  return {
    onParams({ params, setParams, context }) {
      const found = trustedDocumentFor(params, trust, context.loaders !== undefined);
      if (!found) return;
      requested.set(context, found.document);
      setParams({ ...params, query: found.placeholder });
    },
    onParse({ context, setParsedDocument }) {
      const document = requested.get(context);
      if (document) setParsedDocument(document);
    },
    onValidate({ params, setResult }) {
      if (isTrusted(params.documentAST)) setResult([]);
    },
  };
}

/**
 * The trusted document that a request asks for; undefined where its text is to be executed.
 * @throws a GraphQLError where there is no such document, or where texts are not executed
 */
export function trustedDocumentFor(
  params: GraphQLParams,
  { documents, only }: TrustOptions,
  hasKey = true,
): TrustedDocument | undefined {
  const hasText = params.query != null && params.query !== '';
  if (only && hasText) throw badRequest(onlyTrusted, 400);
  // Without a key only a text that reads the schema alone comes this far, and an id changes nothing about it.
  const id = hasKey ? idFrom(params) : undefined;
  const found = id && documents.current.get(id.text);
  if (found) return found;
  if (!hasText && id) {
    if (id.sendsText && !only) throw persistedQueryRefused('PersistedQueryNotFound');
    throw badRequest('No document has this id.', 400);
  }
  if (only) throw badRequest(onlyTrusted, 400);
  return undefined;
}

/** Rejects an id without a text where there is no manifest. Clients that send a hash send the text then, and texts alone later. */
function useNoTrustedDocuments(): Plugin<object, RequestContext> {
  return {
    onParams({ params }) {
      const id = params.query ? undefined : idFrom(params);
      if (id?.sendsText) throw persistedQueryRefused('PersistedQueryNotSupported');
      if (id) throw badRequest(noDocuments, 400);
    },
  };
}

interface Id {
  text: string;
  /** Whether the client sends the document's text after `PersistedQueryNotFound`. */
  sendsText: boolean;
}

/**
 * The id in place of a text: `documentId`, or the hash of a persisted query. An id in another form is ignored.
 * @throws a GraphQLError where it is no text
 */
function idFrom(params: GraphQLParams & { documentId?: unknown }): Id | undefined {
  const { documentId } = params;
  if (documentId != null) {
    if (typeof documentId === 'string') return { text: documentId, sendsText: false };
    throw badRequest('The "documentId" must be a text.', 400);
  }
  const hash = hashFrom(params);
  return hash === undefined ? undefined : { text: hash, sendsText: true };
}

function hashFrom({ extensions }: GraphQLParams): string | undefined {
  const requested: unknown = extensions?.persistedQuery;
  if (typeof requested !== 'object' || requested === null) return undefined;
  const { version = 1, sha256Hash }: { version?: unknown; sha256Hash?: unknown } = requested;
  return version === 1 && typeof sha256Hash === 'string' ? sha256Hash : undefined;
}
