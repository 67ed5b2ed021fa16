import { readFile, stat } from 'node:fs/promises';
import { type DocumentNode, GraphQLError, parse } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { operatorDocuments, type Validate } from '../../operation/document.ts';
import type { Phase } from '../../operation/types.ts';
import { badRequest, persistedQueryRejected } from '../../schema/errors.ts';

/** A document of the operator's own: checked when it was read, it is neither parsed nor validated again. */
interface TrustedDocument {
  text: string;
  document: DocumentNode;
}

/** The trusted documents by their ids, from the start on. An id is any text, most often a hash. */
export interface TrustedDocuments {
  current: ReadonlyMap<string, TrustedDocument>;
}

type ManifestResult =
  | { documents: ReadonlyMap<string, TrustedDocument>; faults?: never }
  | { documents?: never; faults: string[] };

export interface TrustOptions {
  documents: TrustedDocuments;
  /** Whether nothing else is executed. */
  only: boolean;
}

const onlyTrusted = 'Only trusted documents are executed: send a documentId, and no query.';
const noDocuments =
  'No trusted documents are configured: send the document as the "query", or set TRUSTED_DOCUMENTS on the gateway.';

/** Replaces the id of a trusted document by the document. Comes before the phases that need a text. */
export function trustedPhase(options: TrustOptions | undefined): Phase {
  return {
    onParams({ params, setParams, context }) {
      if (!options) return rejectId(params);
      const found = trustedDocumentFor(params, options, context.calls !== undefined);
      if (!found) return;
      context.document = found.document;
      setParams({ ...params, query: found.text });
    },
  };
}

/** Undefined where the text is to be executed. @throws a GraphQLError where the request is rejected */
export function trustedDocumentFor(
  params: GraphQLParams,
  { documents, only }: TrustOptions,
  hasKey = true,
): TrustedDocument | undefined {
  const hasText = params.query != null && params.query !== '';
  if (only && hasText) throw badRequest(onlyTrusted, 422);
  // Without a key only a text that reads the schema alone comes this far, and an id changes nothing about it.
  const id = hasKey ? idFrom(params) : undefined;
  const found = id && documents.current.get(id.text);
  if (found) return found;
  if (!hasText && id) {
    if (id.sendsText && !only) throw persistedQueryRejected(true);
    throw badRequest('No document has this id.', 400);
  }
  if (only) throw badRequest(onlyTrusted, 422);
  return undefined;
}

/** Rejects an id without a text where there is no manifest; a client that sends hashes then sends texts. */
function rejectId(params: GraphQLParams): void {
  const id = params.query ? undefined : idFrom(params);
  if (id?.sendsText) throw persistedQueryRejected(false);
  if (id) throw badRequest(noDocuments, 400);
}

/**
 * The id in place of a text: `documentId`, or the hash of a persisted query, after whose rejection the client
 * `sendsText`. An id in another form is ignored.
 * @throws a GraphQLError where it is no text
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

/** Leaves a byte order mark out; throws where the bytes are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the manifest once, at the start; rejects with its first faults. */
export async function startTrustedFile(
  path: string,
  documents: TrustedDocuments,
  validate: Validate,
): Promise<void> {
  const { documents: found, faults = [] } = await readTrustedFile(path, validate);
  if (found) {
    documents.current = found;
    return;
  }
  const more = faults.length - MAX_FAULTS;
  const others = more > 0 ? [`TRUSTED_DOCUMENTS has ${more} more faults`] : [];
  throw new Error([...faults.slice(0, MAX_FAULTS), ...others].join('\n'));
}

/** Reads the documents of the manifest, or all its faults. */
export async function readTrustedFile(path: string, validate: Validate): Promise<ManifestResult> {
  const faulty = (...faults: string[]) => ({ faults: faults.map((fault) => `TRUSTED_DOCUMENTS ${fault}`) });
  try {
    const file = await stat(path);
    // To read from a pipe or a device could take forever.
    if (!file.isFile()) return faulty('must be a file');
    if (file.size > MAX_BYTES) return faulty(`must be no larger than ${MAX_BYTES} bytes`);
    const bytes = await readFile(path);
    const result = documentsFromManifest(utf8.decode(bytes), validate);
    return result.faults ? faulty(...result.faults) : result;
  } catch (error) {
    return faulty(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the documents of a manifest, or all its faults. */
export function documentsFromManifest(manifest: string, validate: Validate): ManifestResult {
  const texts = textsFromManifest(manifest);
  if (typeof texts === 'string') return { faults: [texts] };
  const documents = new Map<string, TrustedDocument>();
  const faults: string[] = [];
  for (const [id, text] of texts) {
    const checked = checkedDocument(text, validate);
    const name = JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
    if (Array.isArray(checked)) faults.push(...checked.map((fault) => `has a fault in ${name}: ${fault}`));
    else documents.set(id, checked);
  }
  return faults.length > 0 ? { faults } : { documents };
}

/** The format of the manifests that Apollo's tools write. */
const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

const readable = `must hold an object of documents by their ids, or a manifest of the format "${APOLLO_FORMAT}" and version 1`;

/** The texts by their ids, or what is wrong with the whole; quotes nothing of what is not JSON. */
export function textsFromManifest(manifest: string): [string, unknown][] | string {
  try {
    // Some editors begin a file with a byte order mark.
    const json: unknown = JSON.parse(manifest.replace(/^\uFEFF/, ''));
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return readable;
    const texts = Object.entries(json);
    const hasOperations = 'operations' in json && typeof json.operations !== 'string';
    if (hasOperations) return textsFromApollo(json);
    // One fault, and not one for each of its parts.
    const isOther = texts.length > 0 && texts.every(([, text]) => typeof text !== 'string');
    return isOther ? readable : texts;
  } catch {
    return 'is not JSON';
  }
}

/** https://www.apollographql.com/docs/graphos/platform/security/persisted-queries#manifest-format */
function textsFromApollo({
  format,
  version,
  operations,
}: Record<string, unknown>): [string, unknown][] | string {
  if (format !== APOLLO_FORMAT || version !== 1 || !Array.isArray(operations)) {
    const given = JSON.stringify({ format, version }).slice(0, 100);
    return `${readable}, and is ${given}`;
  }
  const texts = operations.map((operation): [unknown, unknown] => [operation?.id, operation?.body]);
  if (!texts.every((pair): pair is [string, unknown] => typeof pair[0] === 'string')) {
    return 'must have an id, a text, for each of its operations';
  }
  const byId = new Map(texts);
  const twice = texts.find(([id, body]) => byId.get(id) !== body);
  return twice
    ? `must have one operation for each id: ${JSON.stringify(twice[0].slice(0, 100))} has several`
    : texts;
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
