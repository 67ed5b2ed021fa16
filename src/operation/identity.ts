import { hash } from 'node:crypto';
import { type DocumentNode, getOperationAST } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { textOf } from '../locations.ts';
import { documentOf } from './express.ts';
import type { DocumentCache } from './limits.ts';
import type { Trust } from './trusted.ts';
import { isTrusted } from './trusted-documents.ts';

/** Which operation of which document. */
interface Identity {
  /** Null where it has none. */
  name: string | null;
  /** SHA-256 of the document's text, in hex. */
  documentHash: string;
  isTrusted: boolean;
}

/** The operation that a request asks for; undefined where its document is not known, or has no such operation. */
export type Identify = (params: GraphQLParams) => Identity | undefined;

export function createIdentify(documents: DocumentCache, trust: Trust | undefined): Identify {
  const known = new WeakMap<DocumentNode, Map<string, Identity | undefined>>();
  return (params) => {
    const document = documentOf(params, documents, trust);
    const operationName: unknown = params.operationName ?? '';
    if (!document || typeof operationName !== 'string') return undefined;
    const ofDocument = known.get(document) ?? new Map<string, Identity | undefined>();
    known.set(document, ofDocument);
    const before = ofDocument.get(operationName);
    if (before) return before;
    const identity = identityOf(document, operationName);
    if (identity) ofDocument.set(operationName, identity);
    return identity;
  };
}

function identityOf(document: DocumentNode, operationName: string): Identity | undefined {
  const operation = getOperationAST(document, operationName === '' ? null : operationName);
  return operation
    ? {
        name: operation.name?.value ?? null,
        documentHash: hash('sha256', textOf(document)),
        isTrusted: isTrusted(document),
      }
    : undefined;
}
