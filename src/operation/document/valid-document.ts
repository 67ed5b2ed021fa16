import type { DocumentNode } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { isTrusted, type Validate } from '../trusted/manifest.ts';
import { type TrustOptions, trustedDocumentFor } from '../trusted/trusted-documents.ts';
import type { FindDocument } from './find-document.ts';
import { type DocumentCache, type DocumentLimits, parseWithin } from './limits.ts';

/** The document of a request that may hold a subscription; undefined for any other. Throws, or undefined, where it is to be refused. */
export type FindValidDocument = (params: GraphQLParams) => DocumentNode | undefined;

export interface ValidDocumentOptions {
  findDocument: FindDocument;
  documents: DocumentCache;
  limits: DocumentLimits;
  trust?: TrustOptions | undefined;
  validate: Validate;
}

/** Parses and validates what the full pipeline has not seen yet, by its rules. */
export function createFindValidDocument(options: ValidDocumentOptions): FindValidDocument {
  const { findDocument, documents, limits, trust, validate } = options;
  const valid = new WeakMap<DocumentNode, boolean>();

  function parse(params: GraphQLParams): DocumentNode | undefined {
    const text: unknown = params.query;
    if (typeof text !== 'string' || !text.includes('subscription')) return undefined;
    // Throws where the text is not to be executed.
    if (trust) trustedDocumentFor(params, trust);
    const document = parseWithin(limits, text);
    documents.set(text, document);
    return document;
  }

  function isValid(document: DocumentNode): boolean {
    const known = isTrusted(document) || valid.get(document);
    if (known !== undefined) return known;
    const result = validate(document).length === 0;
    valid.set(document, result);
    return result;
  }

  return (params) => {
    const found = findDocument(params);
    // Most requests are queries, whose documents the full pipeline validates.
    if (found && !hasSubscription(found)) return undefined;
    const document = found ?? parse(params);
    return document && hasSubscription(document) && isValid(document) ? document : undefined;
  };
}

function hasSubscription({ definitions }: DocumentNode): boolean {
  return definitions.some((node) => 'operation' in node && node.operation === 'subscription');
}
