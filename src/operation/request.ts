import { type DocumentNode, getOperationAST, Kind, OperationTypeNode } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { CoreConfig } from '../config/core.ts';
import { badRequest, type ErrorCode, keyRequired } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import { latestOf } from '../memo.ts';
import { type DocumentLimits, parseWithin } from './document.ts';
import { writtenRootFields } from './fields.ts';
import type { Phase } from './types.ts';

/**
 * Rejects a request without a usable key, before the response says anything about its document. Where
 * introspection is open, an operation that reads the schema alone passes.
 */
export function requiredKey(
  { introspection }: Pick<CoreConfig, 'introspection'>,
  limits: DocumentLimits,
): Phase {
  const open = new Set(['__schema', '__type', '__typename', ...limits.describing]);
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      if (serverContext.calls) return;
      if (introspection !== 'open') throw keyRequired();
      setRequestParser(async () => {
        const params = await serverContext.readParams().catch(() => undefined);
        if (!params || !readsOnly(open, params, limits)) throw keyRequired();
        return params;
      });
    },
  };
}

/** The loaders of an operation without a key: each of them rejects. */
export const rejectingLoaders: Loaders = {
  site: reject,
  conversationContext: reject,
  health: reject,
};

async function reject(): Promise<never> {
  throw keyRequired();
}

function readsOnly(
  fields: ReadonlySet<string>,
  { query, operationName }: GraphQLParams,
  limits: DocumentLimits,
): boolean {
  if (typeof query !== 'string') return false;
  try {
    const document = parseWithin(limits, query);
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.QUERY) return false;
    return writtenRootFields(document, operation).every(({ name }) => fields.has(name.value));
  } catch {
    return false;
  }
}

/** Whether the parameters have the types of GraphQL over HTTP, 4.1. The server rejects others. */
export function areWellTyped({ operationName, variables, extensions }: GraphQLParams): boolean {
  const isNamed = operationName == null || (typeof operationName === 'string' && operationName !== '');
  return (
    isNamed &&
    [variables, extensions].every((value) => typeof (value ?? {}) === 'object' && !Array.isArray(value))
  );
}

/**
 * Rejects a request that accepts no media type of a response (406), and one without a document. The HTTP
 * layer reads the parameters: it has the limits, and quotes nothing of a body that it cannot read.
 */
export const acceptedRequest: Phase = {
  onRequestParse({ request, serverContext, setRequestParser, endResponse, fetchAPI }) {
    const accept = request.headers.get('accept') ?? '';
    const ranges = acceptedIn(accept);
    // Why a stream was not opened is reported to a client that accepts nothing but the stream, too.
    if (ranges.length > 0 || accept.trim() === '' || serverContext.rejection) {
      narrowAccept(request, ranges.join());
      setRequestParser(() => serverContext.readParams());
      return;
    }
    const message = 'Accept application/graphql-response+json or application/json.';
    const extensions = { code: 'BAD_REQUEST' satisfies ErrorCode };
    const body = JSON.stringify({ errors: [{ message, extensions }] });
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    endResponse(new fetchAPI.Response(body, { status: 406, headers }));
  },
  onParams({ params }) {
    if (params.query == null) throw badRequest('Send a GraphQL document, as "query".', 422);
  },
  onSubscribe({ args: { contextValue } }) {
    const { request } = contextValue;
    // The server has no multipart form for a response to a subscription, and would send 406 without a body.
    if (!/json|text/.test(request.headers.get('accept') ?? '')) narrowAccept(request, 'application/json');
  },
};

/** Rejects a request for no operation, or for one that its document does not have: by its cause. */
export const requestedOperation: Phase = {
  onParse({ context }) {
    const { params } = context as { params?: GraphQLParams };
    return ({ result }) => {
      const problem =
        result instanceof Error ? undefined : problemOfName(result as DocumentNode, params?.operationName);
      if (problem) throw badRequest(problem, 422);
    };
  },
};

/** Why the document has no operation of this name, and what to send instead; undefined where it has one. */
function problemOfName(document: DocumentNode, name: unknown): string | undefined {
  if (typeof name !== 'string' && name != null) return 'The "operationName" must be a text.';
  if (getOperationAST(document, name)) return undefined;
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation: add one to its other definitions.';
  const names = listed(operations.flatMap((node) => node.name?.value ?? []));
  const isAlone = operations.length === 1;
  const leaving = isAlone ? `Leave the "operationName" out${names && `, or send ${names}`}.` : '';
  const remedy = leaving || (names ? `Send ${names}.` : 'Give each operation a name, and send one of these.');
  if (name == null)
    return `The document has ${operations.length} operations, and the request names none. ${remedy}`;
  if (name === '') return `The "operationName" is empty. ${remedy}`;
  // What is no name may be a misplaced API key.
  const cause = `The document has no operation ${isName(name) ? `"${name}"` : 'of this name'}`;
  const isLiteral = ['null', 'undefined'].includes(name);
  return `${cause}${isLiteral ? ': this text is a name, and no absent value' : ''}. ${remedy}`;
}

/** Whether a text is a name in GraphQL, no longer than people write them. */
export function isName(text: string): boolean {
  return /^[_a-z]\w{0,99}$/i.test(text);
}

const MAX_LISTED = 5;

/** The names, of which one is to be chosen; empty for none. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  const quoted = names.slice(0, MAX_LISTED).map((name) => `"${name}"`);
  return (names.length > 1 ? 'one of ' : '') + quoted.join(', ') + (more > 0 ? ` or ${more} more` : '');
}

/** The server reads the field when it has a result, and knows no weight and no parameter but one charset. */
export function narrowAccept({ headers }: Request, accept = ''): void {
  if (accept !== '' && accept !== headers.get('accept')) headers.set('accept', accept);
}

/** Content negotiation by the `Accept` field (RFC 9110, 12.5.1). */

const inParts = ['multipart/mixed', 'text/event-stream'] as const;
/** Media types of a complete response. */
export const wholeTypes = ['application/graphql-response+json', 'application/json'];
const ours = [...wholeTypes, ...inParts];

/**
 * The media type for a response in parts (`@defer`, `@stream`); undefined where the client gets one complete
 * response. Only a range that names the media type accepts parts: with a wildcard, or without a field at all,
 * most clients expect JSON.
 */
export function incrementalTypeOf(accept: string | null): string | undefined {
  const ranges = acceptedIn(accept ?? '');
  return inParts.find((type) => ranges.includes(type));
}

/**
 * The media type of a complete response: the first known one in the list, for a wildcard
 * plain JSON. Undefined where none is accepted.
 */
export function completeTypeOf(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*') return 'application/json';
  return completeTypeIn(accept);
}

const completeTypeIn = latestOf((accept: string) =>
  acceptedIn(accept).find((range) => wholeTypes.includes(range)),
);

/** Media types of streams: GraphQL over SSE (distinct connections mode) and Apollo's multipart protocol. */
export type StreamType = 'text/event-stream' | 'multipart/mixed';

/** The media type of the stream the client accepts: the first in the list; undefined if it accepts none. */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  if (accept === undefined || !/event-stream|subscriptionspec/i.test(accept)) return undefined;
  for (const { range, parameters, isExcluded } of rangesOf(accept)) {
    if (isExcluded) continue;
    if (range === 'text/event-stream') return range;
    const isStream = parameters.some((parameter) => /^subscriptionspec="?1\.0"?$/.test(parameter));
    if (range === 'multipart/mixed' && isStream) return range;
  }
  return undefined;
}

/**
 * The media types of ours that the client accepts, in its order; a wildcard remains where it admits parts
 * alone. Parameters are ignored, a charset too: JSON has none (RFC 8259, 11). Those that name another format
 * of parts exclude their range.
 */
export function acceptedIn(accept: string): string[] {
  const ranges = rangesOf(accept);
  const excluded = ranges.filter(({ isExcluded }) => isExcluded).map(({ range }) => range);
  return ranges
    .filter(({ range, isExcluded, isOther }) => !isExcluded && !isOther && ours.some(isIn(range)))
    .map(
      ({ range }) => wholeTypes.findLast((type) => isIn(range)(type) && !excluded.includes(type)) ?? range,
    );
}

/** One element of the field; range and parameters are in lower case. */
interface Range {
  range: string;
  parameters: string[];
  isExcluded: boolean;
  /** Whether it is for another incremental format than ours. */
  isOther: boolean;
}

function rangesOf(accept: string): Range[] {
  return accept.split(',').map((text) => {
    const [range = '', ...parameters] = text.split(';').map((word) => word.trim().toLowerCase());
    const isExcluded = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    const mayBeOther = /^(multipart|text)\//.test(range);
    return { range, parameters, isExcluded, isOther: mayBeOther && parameters.some(namesOtherFormat) };
  });
}

/**
 * Parts are sent in the format of 2022 (`incremental` with `path`), which Apollo calls `deferSpec=20220824`.
 * Its later formats have other names and are not readable as this one.
 */
function namesOtherFormat(parameter: string): boolean {
  const [, name = '', value] = /^(\w+)\s*=\s*"?([^"]*)"?$/.exec(parameter) ?? [];
  return (
    ['incrementalspec', 'subscriptionspec'].includes(name) || (name === 'deferspec' && value !== '20220824')
  );
}

function isIn(range: string) {
  return (type: string): boolean => range === '*/*' || range === type || range === `${type.split('/')[0]}/*`;
}
