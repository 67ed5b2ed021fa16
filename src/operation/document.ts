import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, getOperationAST } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { CoreConfig } from '../config/core.ts';
import { memoized } from '../rest/memo.ts';
import { ignoreRequestError, tooComplex, unknownOperation } from '../schema/errors.ts';
import { documentText, located, parseSource } from '../schema/locations.ts';
import { complexityOf } from './fields.ts';
import type { DocumentSource, Phase, RequestContext } from './types.ts';
import type { Validate } from './validate.ts';

export type DocumentLimits = Pick<CoreConfig, 'characters' | 'tokens' | keyof typeof words>;

/**
 * Parses and validates a document, once for each text. One over the limits is rejected before it is validated, in time
 * proportional to its text; one that was found otherwise than by its text may be of any size.
 */
export function validDocument(core: Documents & Omit<DocumentsOptions, 'sources'>): Phase {
  return {
    onParse({ context, params: { source }, setParseFn }) {
      const { document, observer, params } = context as Partial<RequestContext> & { params?: GraphQLParams };
      const text: string = typeof source === 'string' ? source : source.body;
      setParseFn(() => located(document ?? core.parseDocument(text)));
      return ({ result }) => {
        if (!(result instanceof Error)) {
          if (observer) observer.document = result as DocumentNode;
          return checkOperationName(result as DocumentNode, params?.operationName);
        }
        // The parser has no code for its limit.
        if (TOO_MANY_TOKENS.test(result.message)) throw tooComplex([`more than ${core.tokens} tokens`]);
        // The server takes what is left here for an error of the syntax.
        if (result instanceof GraphQLError && result.extensions.code) throw result;
      };
    },
    onValidate: ({ setValidationFn }) => setValidationFn((_, document) => core.validate(document)),
  };
}

/** @throws GraphQLError if the document does not have the operation, or has several and none is named */
function checkOperationName(document: DocumentNode, name: unknown): void {
  const isText = typeof name === 'string' || name == null;
  if (!isText || !getOperationAST(document, name)) throw unknownOperation(nameMismatch);
}

const nameMismatch =
  'Send the name of an operation in the document as "operationName", or leave it out if there is only one.';

const TOO_MANY_TOKENS = /^Syntax Error: Document contains more tha[nt] \d+ tokens/;

/** Parses a text, without locations. @throws if it is not within the limits, or does not parse */
export function parseWithin(limits: DocumentLimits, text: string): DocumentNode {
  if (text.length > limits.characters) throw tooComplex([`more than ${limits.characters} characters`]);
  const document = parseSource(text, { maxTokens: limits.tokens, noLocation: true });
  const measure = complexityOf(document);
  const names = Object.keys(words) as (keyof typeof words)[];
  const over = names.filter((name) => measure[name] > limits[name]);
  if (over.length > 0) throw tooComplex(over.map((name) => `more than ${limits[name]} ${words[name]}`));
  return document;
}

const words = {
  depth: 'levels of fields',
  selections: 'selections',
  introspectionAliases: 'aliases in introspection',
};

/** The operator's own documents: one that was sent as text never is, even if the text is the same. */
export const operatorDocuments = new WeakSet<DocumentNode>();

/** The memory of a token, its share of the tree included; measured, and rounded up. */
const BYTES_PER_TOKEN = 512;

/** The most memory of a document with its text and all locations: in strings and comments each word counts as a token. */
export function bytesOf(document: DocumentNode, text = documentText(document)): number {
  const tokens = text.match(/\w+|[^\s\w]/g) ?? [];
  return 2 * text.length + BYTES_PER_TOKEN * tokens.length;
}

interface DocumentsOptions extends DocumentLimits, Pick<CoreConfig, 'documentCacheBytes'> {
  /** Asked in their order, before the text of a request. */
  sources: readonly DocumentSource[];
  validate: Validate;
}

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments({ documentCacheBytes, sources, validate, ...limits }: DocumentsOptions) {
  const kept = new LRUCache<string, DocumentNode>({ maxSize: documentCacheBytes, sizeCalculation: bytesOf });
  /** The latest documents, by their hashes. One is kept from its second time on: most of the others come once. */
  const seen = new LRUCache<string, true>({ max: 1000 });

  /** For the full pipeline. @throws if the text is not within the limits, or no document */
  function parseDocument(text: string): DocumentNode {
    const known = kept.get(text);
    if (known) return known;
    const document = parseWithin(limits, text);
    if (seen.has(documentHashOf(document))) kept.set(text, document);
    seen.set(documentHashOf(document), true);
    return document;
  }

  /**
   * Finds the document of a request, parsed and valid, and gives it to the request too; `isKept`: it came before, or is
   * the operator's. Undefined if the full pipeline is to report what is wrong with it.
   */
  function findDocument(params: GraphQLParams, request: Pick<RequestContext, 'document' | 'observer'>) {
    try {
      if (!areWellTyped(params)) return undefined;
      let given: DocumentNode | undefined;
      for (const source of sources) given ??= source(params);
      const { query } = params;
      if (!given && typeof query !== 'string') return undefined;
      const text = String(query);
      const document = given ?? request.document ?? parseDocument(text);
      request.document = document;
      if (request.observer) request.observer.document = document;
      if (validate(document).length > 0) return undefined;
      return { document, isKept: given !== undefined || kept.has(text) };
    } catch (error) {
      return ignoreRequestError(error);
    }
  }

  return { findDocument, parseDocument };
}

/** True if the parameters have the types of GraphQL over HTTP, 4.1. The server rejects others. */
function areWellTyped({ operationName, variables, extensions }: GraphQLParams): boolean {
  const isNamed = operationName == null || (typeof operationName === 'string' && operationName !== '');
  const isAbsentOrObject = (value: unknown) => typeof (value ?? {}) === 'object' && !Array.isArray(value);
  return isNamed && isAbsentOrObject(variables) && isAbsentOrObject(extensions);
}

/** SHA-256 of the document's text, in hex. */
export const documentHashOf = memoized((document: DocumentNode) => hash('sha256', documentText(document)));
