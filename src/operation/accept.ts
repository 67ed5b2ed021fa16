import { latestOf } from '../rest/memo.ts';
import { badRequest } from '../schema/errors.ts';
import type { Phase } from './types.ts';

/* Content negotiation by the `Accept` field (RFC 9110, 12.5.1). */

/** The server reads the field when it has a result, and knows no weight and no parameter but one charset. */
export function narrowAccept({ headers }: Request, accept = ''): void {
  if (accept !== '' && accept !== headers.get('accept')) headers.set('accept', accept);
}

const inParts = ['multipart/mixed', 'text/event-stream'] as const;
const wholeTypes = ['application/graphql-response+json', 'application/json'];
const ours = [...wholeTypes, ...inParts];

/** The formats of parts: of 2022, whose entries have a `path`, and of graphql-js 17, with `pending` and `id`. */
export type IncrementalSpec = 'v0.1' | 'v0.2';

export interface IncrementalFormat {
  type: (typeof inParts)[number];
  spec: IncrementalSpec;
}

/**
 * The format of a response in parts; undefined if the client gets a complete one. Only a range that names the media type
 * accepts parts: most clients that send a wildcard expect JSON. Of two formats for one type, the first counts.
 */
export function incrementalFormatOf(accept: string | null): IncrementalFormat | undefined {
  const ranges = rangesOf(accept ?? '');
  return inParts.flatMap((type) => {
    const spec = ranges.find((one) => one.range === type && one.spec)?.spec;
    return spec ? [{ type, spec }] : [];
  })[0];
}

/** The media type with the parameter that names the format, which v0.1 has not. */
export function typeIn(spec: IncrementalSpec, type: string): string {
  return spec === 'v0.2' ? `${type}; incrementalSpec=v0.2` : type;
}

/** The media type of a complete response: the first known one, JSON for a wildcard; undefined without one. */
export const completeTypeOf = latestOf((accept: string) =>
  acceptedIn(accept).find((range) => wholeTypes.includes(range)),
);

/**
 * The media types of ours that the client accepts, in its order; a wildcard remains if it admits parts alone. Weights and
 * charsets are ignored (RFC 8259, 11); parameters that name an unknown format of parts exclude their range.
 */
export function acceptedIn(accept: string): string[] {
  return rangesOf(accept)
    .filter(({ range, spec }) => spec && ours.some(isIn(range)))
    .map(({ range, spec }) => wholeTypes.findLast(isIn(range)) ?? typeIn(spec ?? 'v0.1', range));
}

/** One element of the field; range and parameters are in lower case, and without quotes. */
interface Range {
  range: string;
  parameters: string[];
  /** The incremental format that it is for; undefined for an unknown one. */
  spec: IncrementalSpec | undefined;
}

/** Further ranges are ignored: each is read several times. */
const MAX_RANGES = 32;

/** The elements of the field. */
export function rangesOf(accept: string): Range[] {
  return accept.split(',', MAX_RANGES).map((text) => {
    const [range = '', ...parameters] = text.toLowerCase().replaceAll(/["\s]/g, '').split(';');
    const mayBeInParts = /^(multipart|text)\//.test(range);
    return { range, parameters, spec: mayBeInParts ? specOf(parameters) : 'v0.1' };
  });
}

/** Apollo's name for v0.1, and the one for v0.2 that several clients and servers use. */
const specs: Record<string, IncrementalSpec> = {
  'deferspec=20220824': 'v0.1',
  'incrementalspec=v0.2': 'v0.2',
};

/** Without any such parameter it is v0.1. Another value names what is not sent. */
function specOf(parameters: readonly string[]): IncrementalSpec | undefined {
  const named = parameters.find((parameter) => /^(defer|incremental|subscription)spec=/.test(parameter));
  return named === undefined ? 'v0.1' : specs[named];
}

function isIn(range: string) {
  return (type: string): boolean => range === '*/*' || range === type || range === `${type.split('/')[0]}/*`;
}

/** Rejects a request that accepts no media type of a response (406), and one without a document. */
export const acceptedRequest: Phase = {
  onRequestParse({ request, serverContext, setRequestParser }) {
    const accept = request.headers.get('accept') ?? '';
    const ranges = acceptedIn(accept);
    // Why a stream was not opened is reported to a client that accepts nothing but the stream, too.
    if (ranges.length > 0 || accept.trim() === '' || serverContext.streamRejection) {
      narrowAccept(request, ranges.join());
      setRequestParser(() => serverContext.readParams());
      return;
    }
    narrowAccept(request, 'application/json');
    throw badRequest('Accept application/graphql-response+json or application/json.', 406);
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
