import type { DocumentNode } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { badRequest, persistedQueryRefused } from '../errors.ts';
import type { RequestContext } from './pipeline.ts';
import { isTrusted, type TrustedDocuments } from './trusted-documents.ts';

export interface Trust {
  documents: TrustedDocuments;
  /** Whether nothing else is executed. */
  only: boolean;
}

const onlyTrusted = 'Only trusted documents are executed: send a documentId, and no query.';

/**
 * Executes a trusted document in place of the id that a request has for it. Comes before whatever wants a request to
 * have a text.
 */
export function useTrustedDocuments({ documents, only }: Trust): Plugin<object, RequestContext> {
  const asked = new WeakMap<object, DocumentNode>();
  return {
    onParams({ params, setParams, context }) {
      const hasText = params.query != null && params.query !== '';
      if (only && hasText) throw badRequest(onlyTrusted, 400);
      // Without a key only a text that reads nothing but the schema comes so far, and an id changes nothing about it.
      const id = context.loaders && idFrom(params);
      const found = id && documents.inForce.get(id.text);
      if (found) {
        asked.set(context, found.document);
        setParams({ ...params, query: found.standIn });
      } else if (!hasText && id) {
        if (id.fallsBack && !only) throw persistedQueryRefused('PersistedQueryNotFound');
        throw badRequest('No document has this id.', 400);
      } else if (only) {
        throw badRequest(onlyTrusted, 400);
      }
    },
    onParse({ context, setParsedDocument }) {
      const document = asked.get(context);
      if (document) setParsedDocument(document);
    },
    onValidate({ params, setResult }) {
      if (isTrusted(params.documentAST)) setResult([]);
    },
  };
}

/** Refuses a hash that comes without a text, where there are no documents: the client then sends texts alone. */
export function useNoTrustedDocuments(): Plugin<object, RequestContext> {
  return {
    onParams({ params }) {
      if (!params.query && hashFrom(params) !== undefined) {
        throw persistedQueryRefused('PersistedQueryNotSupported');
      }
    },
  };
}

interface Id {
  text: string;
  /** Whether the client sends the document's text where it is told, in its protocol's words, that the id is unknown. */
  fallsBack: boolean;
}

/**
 * What a request says of a document instead of its text; an id of another form than the two known ones is none.
 * @throws a GraphQLError where it is no text
 */
export function idFrom(params: GraphQLParams & { documentId?: unknown }): Id | undefined {
  const { documentId } = params;
  if (documentId != null) {
    if (typeof documentId === 'string') return { text: documentId, fallsBack: false };
    throw badRequest('The "documentId" must be a text.', 400);
  }
  const hash = hashFrom(params);
  return hash === undefined ? undefined : { text: hash, fallsBack: true };
}

function hashFrom({ extensions }: GraphQLParams): string | undefined {
  const asked: unknown = extensions?.persistedQuery;
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { version = 1, sha256Hash }: { version?: unknown; sha256Hash?: unknown } = asked;
  return version === 1 && typeof sha256Hash === 'string' ? sha256Hash : undefined;
}
