/** What a caller takes, by its `Accept` (RFC 9110, 12.5.1); one that is absent or empty takes anything. */

const inParts = ['multipart/mixed', 'text/event-stream'];
const whole = ['application/graphql-response+json', 'application/json'];

/** Whether a response in parts can be read. */
export function acceptsParts(accept: string | null): boolean {
  return acceptsOneOf(inParts, accept);
}

/**
 * The media type in which an answer comes that is sent whole: the first one in the list that is known, for a wildcard
 * plain JSON. Undefined where none is accepted.
 */
export function wholeTypeOf(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === '*/*') return 'application/json';
  if (accept !== latest.accept) latest = { accept, type: wholeTypeIn(accept) };
  return latest.type;
}

/** The last one: most requests accept the same. */
let latest: { accept: string; type: string | undefined } = { accept: '*/*', type: 'application/json' };

function wholeTypeIn(accept: string): string | undefined {
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

/** Whether any form of response can be read. */
export function acceptsSomething(accept: string | null): boolean {
  return acceptsOneOf([...whole, ...inParts], accept);
}

function acceptsOneOf(types: readonly string[], accept: string | null): boolean {
  if (!accept?.trim()) return true;
  return accept.split(',').some((element) => {
    const [range = '', ...parameters] = element.split(';').map((word) => word.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && types.some((type) => matches(range, type));
  });
}

function matches(range: string, type: string): boolean {
  return range === '*/*' || range === type || range === `${type.split('/')[0]}/*`;
}
