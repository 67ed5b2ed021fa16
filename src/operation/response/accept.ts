/** Content negotiation by the `Accept` field (RFC 9110, 12.5.1). */

const inParts = ['multipart/mixed', 'text/event-stream'] as const;
const whole = ['application/graphql-response+json', 'application/json'];

/**
 * The media type for a response in parts (`@defer`, `@stream`); undefined where the client gets one complete response.
 * Only a range that names the media type accepts parts: with a wildcard, or without a field at all, most clients expect JSON.
 */
export function incrementalTypeOf(accept: string | null): string | undefined {
  const ranges = rangesOf(accept ?? '').filter(isAcceptable);
  return inParts.find((type) => ranges.some(({ range }) => range === type));
}

/**
 * The media type of a complete response: the first known one in the list, for a wildcard
 * plain JSON. Undefined where none is accepted.
 */
export function completeTypeOf(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*') return 'application/json';
  if (accept !== latest.accept) latest = { accept, type: completeTypeIn(accept) };
  return latest.type;
}

/** The last one: most requests accept the same. */
let latest: { accept: string; type: string | undefined } = { accept: '*/*', type: 'application/json' };

function completeTypeIn(accept: string): string | undefined {
  if (!acceptsSomething(accept)) return undefined;
  for (const element of accept.replace(/\s/g, '').toLowerCase().split(',')) {
    const [range = '', ...parameters] = element.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') continue;
    const type = whole.findLast((type) => matches(range, type));
    if (type) return type;
  }
  return undefined;
}

/** The media types of a stream: GraphQL over SSE in its distinct connections mode, and Apollo's multipart protocol. */
export type StreamType = 'text/event-stream' | 'multipart/mixed';

/** The media type of the stream that the client accepts: the first in the list; undefined where it accepts none. */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  if (accept === undefined || !/event-stream|subscriptionspec/i.test(accept)) return undefined;
  for (const one of rangesOf(accept)) {
    if (isExcluded(one)) continue;
    if (one.range === 'text/event-stream') return one.range;
    const isStream = one.parameters.some((parameter) => /^subscriptionspec="?1\.0"?$/.test(parameter));
    if (one.range === 'multipart/mixed' && isStream) return one.range;
  }
  return undefined;
}

/** Whether the client accepts any media type of ours. */
export function acceptsSomething(accept: string | null): boolean {
  if (!accept?.trim()) return true;
  const types = [...whole, ...inParts];
  return rangesOf(accept).some((one) => isAcceptable(one) && types.some((type) => matches(one.range, type)));
}

/** The field without the ranges of other incremental formats than ours. */
export function withoutOtherFormats(accept: string): string {
  const ranges = rangesOf(accept);
  const ours = ranges.filter((one) => !asksOtherFormat(one));
  return ours.length === ranges.length ? accept : ours.map(({ text }) => text).join(',');
}

/** One element of the field; range and parameters are in lower case. */
interface Range {
  text: string;
  range: string;
  parameters: string[];
}

function rangesOf(accept: string): Range[] {
  return accept.split(',').map((text) => {
    const [range = '', ...parameters] = text.split(';').map((word) => word.trim().toLowerCase());
    return { text, range, parameters };
  });
}

function isAcceptable(one: Range): boolean {
  return !isExcluded(one) && !asksOtherFormat(one);
}

function isExcluded({ parameters }: Range): boolean {
  return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}

/**
 * Parts are sent in the format of 2022 (`incremental` with `path`), which Apollo calls `deferSpec=20220824`. Its later
 * formats have other names and are not readable as this one.
 */
function asksOtherFormat({ range, parameters }: Range): boolean {
  if (!/^(multipart|text)\//.test(range)) return false;
  return parameters.some((parameter) => {
    const [, name, value] = /^(\w+)\s*=\s*"?([^"]*)"?$/.exec(parameter) ?? [];
    return (
      name === 'incrementalspec' ||
      name === 'subscriptionspec' ||
      (name === 'deferspec' && value !== '20220824')
    );
  });
}

function matches(range: string, type: string): boolean {
  return range === '*/*' || range === type || range === `${type.split('/')[0]}/*`;
}
