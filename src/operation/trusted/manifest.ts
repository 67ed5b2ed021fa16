import { randomUUID } from 'node:crypto';
import { setImmediate as otherWork } from 'node:timers/promises';
import { type DocumentNode, GraphQLError, parse } from 'graphql';

/** A document of the operator's own: checked when it was read, it is neither parsed nor validated again. */
export interface TrustedDocument {
  text: string;
  document: DocumentNode;
  /**
   * Stands for the text at the server, which caches documents and syntax errors by their text. It cannot be guessed, so that
   * no text from a client finds this document in the cache, or replaces it there.
   */
  placeholder: string;
}

/** The trusted documents by their ids. An id is any text, most often a hash. */
export interface TrustedDocuments {
  current: ReadonlyMap<string, TrustedDocument>;
}

/** What is wrong with a document, by the rules for every document. */
export type Validate = (document: DocumentNode) => readonly GraphQLError[];

export type ManifestResult =
  | { documents: ReadonlyMap<string, TrustedDocument>; faults?: never }
  | { documents?: never; faults: string[] };

const trusted = new WeakSet<DocumentNode>();

/** Whether a document is the operator's: one that a caller sent as text never is, even where the text is the same. */
export function isTrusted(document: DocumentNode): boolean {
  return trusted.has(document);
}

/** How long the other requests may have to wait for the documents of a manifest to be checked. */
const MAX_PAUSE_MS = 5;

/**
 * The documents of a manifest, an object of texts by their ids, or all its faults; those that are `known` already are
 * taken as they are.
 */
export async function documentsFromManifest(
  manifest: string,
  known: ReadonlyMap<string, TrustedDocument>,
  validate: Validate,
): Promise<ManifestResult> {
  const texts = textsFromManifest(manifest);
  if (typeof texts === 'string') return { faults: [texts] };
  const documents = new Map<string, TrustedDocument>();
  const faults: string[] = [];
  let since = performance.now();
  for (const [id, text] of texts) {
    const before = known.get(id);
    const checked = before && before.text === text ? before : checkedDocument(text, validate);
    if (Array.isArray(checked))
      faults.push(...checked.map((fault) => `has a fault in ${quoted(id)}: ${fault}`));
    else documents.set(id, checked);
    if (performance.now() - since < MAX_PAUSE_MS) continue;
    await otherWork();
    since = performance.now();
  }
  return faults.length > 0 ? { faults } : { documents };
}

/** The texts by their ids, or what is wrong with the whole. Of what is no JSON, nothing is quoted. */
export function textsFromManifest(manifest: string): [string, unknown][] | string {
  try {
    // Some editors begin a file with a byte order mark.
    const json: unknown = JSON.parse(manifest.replace(/^\uFEFF/, ''));
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? Object.entries(json) : 'must hold an object of documents by their ids';
  } catch {
    return 'is not JSON';
  }
}

function checkedDocument(text: unknown, validate: Validate): TrustedDocument | string[] {
  if (typeof text !== 'string') return ['a document must be a text'];
  try {
    const document = parse(text);
    const errors = validate(document);
    if (errors.length > 0) return errors.map(described);
    trusted.add(document);
    return { text, document, placeholder: `trusted ${randomUUID()}` };
  } catch (error) {
    return [described(error)];
  }
}

/** One line, whatever the document holds. */
function described(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [at] = error instanceof GraphQLError ? (error.locations ?? []) : [];
  return `${message.replace(/\s+/g, ' ').slice(0, 200)}${at ? ` (${at.line}:${at.column})` : ''}`;
}

function quoted(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
}
