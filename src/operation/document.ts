import { hash } from 'node:crypto';
import {
  type DocumentNode,
  ExecutableDefinitionsRule,
  GraphQLError,
  getOperationAST,
  isExecutableDefinitionNode,
  Lexer,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  Source,
  TokenKind,
  type ValidationRule,
  validate as validateBy,
} from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { tooComplex } from '../errors.ts';
import { parseSource, textOf } from '../locations.ts';
import { type Complexity, complexityOf } from './fields.ts';
import { isTrusted, type TrustOptions, trustedDocumentFor, type Validate } from './trusted-documents.ts';
import type { Phase } from './types.ts';

/** How large a document may be: a larger one is rejected before anything is executed. */
export interface DocumentLimits extends Complexity {
  characters: number;
  tokens: number;
  /** Errors of one response that are listed. */
  errors: number;
}

/** The limits besides `MAX_DEPTH`. A fragment counts wherever it is spread. */
export const documentBounds = {
  characters: 32_768,
  tokens: 1000,
  // graphql-js has 15 levels and no alias in its introspection query.
  introspectionDepth: 20,
  introspectionAliases: 2,
  rootFields: 50,
  fields: 5000,
  aliases: 100,
  directives: 50,
  errors: 10,
};

/**
 * Rejects documents over the limits, in time proportional to the text: its characters are counted before it
 * is parsed, its tokens while it is, the rest before it is validated. A trusted document may be of any size.
 */
export function documentLimits(limits: DocumentLimits): Phase {
  return {
    onParse({ params: { source }, setParseFn }) {
      const text = String(source);
      checkText(text, limits);
      setParseFn((_, options) => parseSource(text, { ...options, maxTokens: limits.tokens }));
      return ({ result }) => {
        if (result instanceof Error) checkTokens(text, limits);
        else if (!isTrusted(result as DocumentNode)) checkMeasure(result as DocumentNode, limits);
      };
    },
    onValidate({ setValidationFn }) {
      // The last of the errors may be that there are too many.
      const maxErrors = Math.max(limits.errors - 1, 1);
      setValidationFn((schema, document, rules) =>
        validateBy(schema, document, rulesFor(document, rules), { maxErrors }),
      );
    },
  };
}

/**
 * Parses a text that is within the limits, ahead of the server.
 * @throws where it is not, or does not parse
 */
export function parseWithin(limits: DocumentLimits, text: string): DocumentNode {
  checkText(text, limits);
  const document = parseSource(text, { maxTokens: limits.tokens });
  checkMeasure(document, limits);
  return document;
}

function checkText(text: string, { characters }: DocumentLimits): void {
  if (text.length > characters) throw tooComplex([`more than ${characters} characters`]);
}

/** The parser reports no reason when it exceeds `maxTokens`. */
function checkTokens(text: string, { tokens }: DocumentLimits): void {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  try {
    while (count <= tokens && lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    // The error of the syntax comes before the text is too long.
  }
  if (count > tokens) throw tooComplex([`more than ${tokens} tokens`]);
}

const words: Record<keyof Complexity, string> = {
  depth: 'levels of fields',
  introspectionDepth: 'levels of introspection',
  introspectionAliases: 'aliases in introspection',
  rootFields: 'root fields',
  fields: 'fields',
  aliases: 'aliases',
  directives: 'directives',
};

function checkMeasure(document: DocumentNode, limits: DocumentLimits): void {
  const measure = complexityOf(document);
  const names = Object.keys(words) as (keyof Complexity)[];
  const over = names.filter((name) => measure[name] > limits[name]);
  if (over.length > 0) throw tooComplex(over.map((name) => `more than ${limits[name]} ${words[name]}`));
}

/**
 * The rules whose cost the limits bound. `@defer` and `@stream` come with an older rule against conflicting
 * fields in place of that of graphql-js, which bounds its work and its messages. And a document that defines
 * types would have misspelt names compared with its own, of any length: the one thing to say about it is that
 * it cannot be executed.
 */
function rulesFor({ definitions }: DocumentNode, rules: readonly ValidationRule[] = []): ValidationRule[] {
  if (!definitions.every(isExecutableDefinitionNode)) return [ExecutableDefinitionsRule];
  return [...rules.filter(({ name }) => !OVERLAPPING_RULE.test(name)), OverlappingFieldsCanBeMergedRule];
}

/** The name of both rules. In the bundle the functions of one name are numbered. */
const OVERLAPPING_RULE = /^OverlappingFieldsCanBeMergedRule\d*$/;

/**
 * Validates with the rules of GraphQL and our own; a document in the cache has passed them. Without
 * introspection the schema is hidden: misspelt names get no suggestions.
 */
export function validation(introspection: Config['introspection']): Phase {
  const isHidden = introspection === 'off';
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(rootTypeRule);
      if (isHidden) addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ result }) => {
        for (const error of result) {
          if (isHidden) error.message = error.message.replace(/ Did you mean .+$/s, '');
          // The errors of a document are cached with it. Until its stack is read, an error retains the
          // objects of the frames in which it was created: many times the memory of the document.
          void error.stack;
        }
      };
    },
  };
}

/** Rejects operations without a root type in the schema, which GraphQL's own rules leave to the execution. */
const rootTypeRule: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation)) return;
    const isLive = node.operation === OperationTypeNode.SUBSCRIPTION;
    const reason = isLive ? 'live queries need LIVE=on' : 'the API is read-only';
    const message = `There is no ${node.operation} here: ${reason}.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** Documents that have been parsed, by their text. */
type DocumentCache = LRUCache<string, DocumentNode>;

/** Memory of the cache of parsed documents. */
const DOCUMENT_CACHE_BYTES = 33_554_432;

/** Drops the least recently used documents over `maxBytes` of memory. */
export function createDocumentCache(maxBytes = DOCUMENT_CACHE_BYTES): DocumentCache {
  return new LRUCache({
    // The library reads 0 as no limit; with one byte no document fits.
    maxSize: Math.max(maxBytes, 1),
    sizeCalculation: (document, text) => bytesOf(document, text),
  });
}

/** The memory of a token, its share of the tree included; measured, and rounded up. */
const BYTES_PER_TOKEN = 512;

/** The memory of a document with its text: a document holds on to each token, comments too. */
export function bytesOf(document: DocumentNode, text = textOf(document)): number {
  let tokens = 0;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
  return 2 * text.length + BYTES_PER_TOKEN * tokens;
}

/** The document that a request asks for; undefined where it has not been parsed, or is to be rejected. */
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

interface FindSubscriptionOptions {
  findDocument: FindDocument;
  documents: DocumentCache;
  limits: DocumentLimits;
  trust?: TrustOptions | undefined;
  validate: Validate;
}

/**
 * Finds the document of a request that may be for a subscription; undefined, or throws, for any other and for
 * one that the full pipeline must reject. A document that the full pipeline has not seen is parsed and
 * validated by its rules.
 */
export function createFindSubscription(options: FindSubscriptionOptions): FindDocument {
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
    const result = isTrusted(document) || (valid.get(document) ?? validate(document).length === 0);
    valid.set(document, result);
    return result;
  }

  return (params) => {
    const document = findDocument(params) ?? parse(params);
    return document && hasSubscription(document) && isValid(document) ? document : undefined;
  };
}

function hasSubscription({ definitions }: DocumentNode): boolean {
  return definitions.some((node) => 'operation' in node && node.operation === OperationTypeNode.SUBSCRIPTION);
}

/** Which operation of which document a request executes. */
interface OperationIdentity {
  type: OperationTypeNode;
  /** Null where the operation has no name. */
  name: string | null;
  documentHash: string;
  isTrusted: boolean;
}

/** The operation that a request names; undefined where its document is unknown or has no such operation. */
export function identify(params: GraphQLParams, findDocument: FindDocument): OperationIdentity | undefined {
  const document = findDocument(params);
  const operation = document && getOperationAST(document, params.operationName || null);
  return operation
    ? {
        type: operation.operation,
        name: operation.name?.value ?? null,
        documentHash: documentHashOf(document),
        isTrusted: isTrusted(document),
      }
    : undefined;
}

const hashes = new WeakMap<DocumentNode, string>();

/** SHA-256 of the document's text, in hex. */
export function documentHashOf(document: DocumentNode): string {
  const known = hashes.get(document) ?? hash('sha256', textOf(document));
  hashes.set(document, known);
  return known;
}
