import {
  type DocumentNode,
  ExecutableDefinitionsRule,
  isExecutableDefinitionNode,
  Lexer,
  OverlappingFieldsCanBeMergedRule,
  Source,
  TokenKind,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { tooComplex } from '../../errors.ts';
import { parseSource, textOf } from '../../locations.ts';
import { isTrusted } from '../trusted/manifest.ts';
import type { Phase } from '../types.ts';
import { type Complexity, complexityOf } from './complexity.ts';

/** How large a document may be: what is larger is refused before anything is executed. */
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

/** Memory of the cache of parsed documents. */
const DOCUMENT_CACHE_BYTES = 33_554_432;

/**
 * Refuses documents over the limits, in time proportional to the text: its characters are counted before it is
 * parsed, its tokens while it is, the rest before it is validated. A trusted document may be of any size.
 */
export function documentLimits(limits: DocumentLimits): Phase {
  return { plugins: [useDocumentLimits(limits)] };
}

function useDocumentLimits(limits: DocumentLimits): Plugin {
  return {
    onParse({ params: { source }, setParseFn }) {
      const text = String(source);
      checkText(text, limits);
      setParseFn((_, options) => parseSource(text, { ...options, maxTokens: limits.tokens }));
      return ({ result }) => {
        if (result instanceof Error) checkTokens(text, limits);
        else if (isDocument(result) && !isTrusted(result)) checkMeasure(result, limits);
      };
    },
    onValidate({ setValidationFn }) {
      // The last of the errors may be that there are too many.
      const maxErrors = Math.max(limits.errors - 1, 1);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rulesFor(document, rules), { maxErrors }),
      );
    },
  };
}

/**
 * The rules whose cost the limits bound. `@defer` and `@stream` come with an older rule against conflicting fields in place
 * of that of graphql-js, which bounds its work and its messages. And a document that defines types would have misspelt names
 * compared with its own, of any length: there is no more to say of it than that it cannot be executed.
 */
function rulesFor({ definitions }: DocumentNode, rules: readonly ValidationRule[] = []): ValidationRule[] {
  if (!definitions.every(isExecutableDefinitionNode)) return [ExecutableDefinitionsRule];
  return [...rules.filter(({ name }) => !OVERLAPPING_RULE.test(name)), OverlappingFieldsCanBeMergedRule];
}

/** The name of both rules. In the bundle the functions of one name are numbered. */
const OVERLAPPING_RULE = /^OverlappingFieldsCanBeMergedRule\d*$/;

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
  if (hasMoreTokens(text, tokens)) throw tooComplex([`more than ${tokens} tokens`]);
}

function hasMoreTokens(text: string, limit: number): boolean {
  const lexer = new Lexer(new Source(text));
  try {
    for (let count = 0; lexer.advance().kind !== TokenKind.EOF; count += 1) if (count === limit) return true;
  } catch {
    // What is wrong with the text is wrong before it is too long.
  }
  return false;
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

function isDocument(result: unknown): result is DocumentNode {
  return typeof result === 'object' && result !== null && 'definitions' in result;
}

/** What a token takes in memory, its share of the tree included; measured, and rounded up. */
const bytesPerToken = 512;

/** Documents that have been parsed, by their text. */
export type DocumentCache = LRUCache<string, DocumentNode>;

/** Drops the least recently used documents over `maxBytes` of memory. */
export function createDocumentCache(maxBytes = DOCUMENT_CACHE_BYTES): DocumentCache {
  return new LRUCache({
    // The library reads 0 as no limit; with one byte no document fits.
    maxSize: Math.max(maxBytes, 1),
    sizeCalculation: (document, text) => bytesOf(document, text),
  });
}

/** What a document takes in memory, with its text. */
export function bytesOf(document: DocumentNode, text = textOf(document)): number {
  return 2 * text.length + bytesPerToken * tokensOf(document);
}

/** All of them, comments too: a document holds on to each. */
function tokensOf({ loc }: DocumentNode): number {
  let count = 0;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) count += 1;
  return count;
}

/** Syntax errors are not cached. */
export const noErrorCache = { get: () => undefined, set: () => {} };
