import type { DocumentNode } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { type TrustOptions, trustedDocumentFor } from '../trusted/trusted-documents.ts';
import type { DocumentCache } from './limits.ts';

/** The document that a request asks for; undefined where it has not been parsed, or is refused. */
export type FindDocument = (params: GraphQLParams) => DocumentNode | undefined;

export function createFindDocument(documents: DocumentCache, trust: TrustOptions | undefined): FindDocument {
  return (params) => {
    try {
      const trusted = trust && trustedDocumentFor(params, trust);
      if (trusted) return trusted.document;
    } catch {
      return undefined;
    }
    return typeof params.query === 'string' ? documents.get(params.query) : undefined;
  };
}
