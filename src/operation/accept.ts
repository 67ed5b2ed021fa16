/** What a caller takes, by its `Accept` (RFC 9110, 12.5.1); one that is absent or empty takes anything. */

const inParts = ['multipart/mixed', 'text/event-stream'];
const whole = ['application/graphql-response+json', 'application/json'];

/** Whether a response in parts can be read. */
export function acceptsParts(accept: string | null): boolean {
  return acceptsOneOf(inParts, accept);
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
