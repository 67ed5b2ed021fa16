import { hash } from 'node:crypto';
import { type DocumentNode, getOperationAST } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { textOf } from '../locations.ts';
import type { FindDocument } from './document/find-document.ts';
import { isTrusted } from './trusted/manifest.ts';
import type { OperationIdentity } from './types.ts';

/** The operation that a request names; undefined where its document is unknown or has no such operation. */
export type Identify = (params: GraphQLParams) => OperationIdentity | undefined;

export function createIdentify(findDocument: FindDocument): Identify {
  const known = new WeakMap<DocumentNode, Map<string, OperationIdentity | undefined>>();
  return (params) => {
    const document = findDocument(params);
    const operationName: unknown = params.operationName ?? '';
    if (!document || typeof operationName !== 'string') return undefined;
    const ofDocument = known.get(document) ?? new Map<string, OperationIdentity | undefined>();
    known.set(document, ofDocument);
    const before = ofDocument.get(operationName);
    if (before) return before;
    const identity = identityOf(document, operationName);
    if (identity) ofDocument.set(operationName, identity);
    return identity;
  };
}

function identityOf(document: DocumentNode, operationName: string): OperationIdentity | undefined {
  const operation = getOperationAST(document, operationName === '' ? null : operationName);
  return operation
    ? {
        type: operation.operation,
        name: operation.name?.value ?? null,
        documentHash: hash('sha256', textOf(document)),
        isTrusted: isTrusted(document),
      }
    : undefined;
}
