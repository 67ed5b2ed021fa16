import { readFile, stat } from 'node:fs/promises';
import { type DocumentNode, GraphQLError, parse } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { operatorDocuments } from '../../operation/document.ts';
import type { Phase } from '../../operation/types.ts';
import type { Validate } from '../../operation/validate.ts';
import { isObject } from '../../rest/json.ts';
import { badRequest, persistedQueryRejected } from '../../schema/errors.ts';

/** A document of the operator's own: checked when it was read, it is neither parsed nor validated again. */
interface TrustedDocument {
  text: string;
  document: DocumentNode;
}

/** By their ids: any text, most often a hash. */
type TrustedDocuments = ReadonlyMap<string, TrustedDocument>;

export interface Trust {
  /** Null: there is no manifest. */
  documents: TrustedDocuments | null;
  /** True if nothing else is executed. */
  only: boolean;
}

const onlyTrusted = 'Only trusted documents are executed: send a documentId, and no query.';
const noDocuments =
  'No trusted documents are configured: send the document as the "query", or set TRUSTED_DOCUMENTS on the gateway.';

/** Replaces the id of a trusted document by the document. Comes before the phases that need a text. */
export function trustedPhase(trust: Trust): Phase {
  return {
    onParams({ params, setParams, context }) {
      const found = trustedDocumentFor(params, trust, context.calls !== undefined);
      if (!found) return;
      context.document = found.document;
      setParams({ ...params, query: found.text });
    },
  };
}

/** Undefined if the text is to be executed. @throws a GraphQLError if the request is rejected */
export function trustedDocumentFor(
  params: GraphQLParams,
  { documents, only }: Trust,
  hasKey = true,
): TrustedDocument | undefined {
  const hasText = params.query != null && params.query !== '';
  if (only && hasText) throw badRequest(onlyTrusted, 422);
  // Without a key only a text that reads the schema alone comes this far, and an id changes nothing about it.
  const id = hasKey && (documents || !hasText) ? idFrom(params) : undefined;
  const found = id && documents?.get(id.text);
  if (found) return found;
  if (!hasText && id) {
    // A client that sends hashes then sends texts.
    if (id.sendsText && !only) throw persistedQueryRejected(documents !== null);
    throw badRequest(documents ? 'No document has this id.' : noDocuments, 400);
  }
  if (only) throw badRequest(onlyTrusted, 422);
  return undefined;
}

/**
 * The id in place of a text: `documentId`, or the hash of a persisted query, after whose rejection the client
 * `sendsText`. An id in another form is ignored.
 * @throws a GraphQLError if it is no text
 */
function idFrom(params: GraphQLParams & { documentId?: unknown }) {
  const { documentId } = params;
  if (documentId != null) {
    if (typeof documentId === 'string') return { text: documentId, sendsText: false };
    throw badRequest('The "documentId" must be a text.', 422);
  }
  const { version = 1, sha256Hash }: { version?: unknown; sha256Hash?: unknown } =
    params.extensions?.persistedQuery ?? {};
  return version === 1 && typeof sha256Hash === 'string' ? { text: sha256Hash, sendsText: true } : undefined;
}

/** A document takes some sixty times its text once it is parsed. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAULTS = 10;

/** Leaves a byte order mark out; throws if the bytes are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the documents of the manifest, and its first faults. */
export async function readTrustedFile(path: string, validate: Validate) {
  const texts = await textsFromFile(path);
  const documents = new Map<string, TrustedDocument>();
  const faults = typeof texts === 'string' ? [texts] : [];
  for (const [id, text] of typeof texts === 'string' ? [] : texts) {
    const checked = checkedDocument(text, validate);
    const name = JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
    if (Array.isArray(checked)) faults.push(...checked.map((fault) => `has a fault in ${name}: ${fault}`));
    else documents.set(id, checked);
  }
  const more = faults.length - MAX_FAULTS;
  if (more > 0) faults.splice(MAX_FAULTS, more, `has ${more} more faults`);
  return { documents, faults: faults.map((fault) => `TRUSTED_DOCUMENTS ${fault}`) };
}

async function textsFromFile(path: string): Promise<[string, unknown][] | string> {
  try {
    const file = await stat(path);
    // To read from a pipe or a device could take forever.
    if (!file.isFile() || file.size > MAX_BYTES) return `must be a file of at most ${MAX_BYTES} bytes`;
    return textsFromManifest(utf8.decode(await readFile(path)));
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The format of the manifests that Apollo's tools write. */
const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

const readable = `must hold an object of documents by their ids, or a manifest of the format "${APOLLO_FORMAT}" and version 1`;

/**
 * The texts by their ids, in either format, or what is wrong with the whole; quotes nothing of what is not JSON.
 * https://www.apollographql.com/docs/graphos/platform/security/persisted-queries#manifest-format
 */
export function textsFromManifest(manifest: string): [string, unknown][] | string {
  let json: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    json = JSON.parse(manifest.replace(/^\uFEFF/, ''));
  } catch {
    return 'is not JSON';
  }
  if (!isObject(json)) return readable;
  const { format, version, operations } = json;
  const texts = Object.entries(json);
  // One fault, and not one for each of its parts.
  if (operations === undefined || typeof operations === 'string')
    return texts.length > 0 && texts.every(([, text]) => typeof text !== 'string') ? readable : texts;
  const isApollo = format === APOLLO_FORMAT && version === 1 && Array.isArray(operations);
  const isIdentified = isApollo && operations.every((operation) => typeof operation?.id === 'string');
  return isIdentified ? operations.map(({ id, body }) => [id, body]) : readable;
}

function checkedDocument(text: unknown, validate: Validate): TrustedDocument | string[] {
  if (typeof text !== 'string') return ['a document must be a text'];
  try {
    const document = parse(text);
    const errors = validate(document);
    if (errors.length > 0) return errors.map(described);
    operatorDocuments.add(document);
    return { text, document };
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
