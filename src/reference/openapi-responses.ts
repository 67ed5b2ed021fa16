import { headers } from './openapi-headers.ts';
import { schemaRef } from './openapi-schemas.ts';
import { type ProblemKind, problemFromKind } from './problems.ts';

const headerRefs = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name.replace(/(?<=[a-z])[A-Z]/g, '-$&').replace('Rate-Limit', 'RateLimit'),
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const always = headerRefs('CacheControl', 'Deprecation', 'Sunset');
const known = { ...always, ...headerRefs('RateLimitPolicy', 'RateLimit') };
/** Only where a key is known, and a refusal of the request itself comes before that. */
const perhaps = {
  ...always,
  'RateLimit-Policy': { ...headers.RateLimitPolicy, required: false },
  RateLimit: { ...headers.RateLimit, required: false },
};

/** A 200 with the object of this name. */
export function responseOf(description: string, name: string, isBehindKey = true) {
  const schema = name === '' ? { type: 'object' } : schemaRef(name);
  return {
    description,
    headers: isBehindKey ? known : always,
    content: { 'application/json': { schema } },
  };
}

function refusal(description: string, headers: object, ...kinds: ProblemKind[]) {
  const examples = Object.fromEntries(kinds.map((kind) => [kind, { value: problemFromKind(kind) }]));
  return {
    description,
    headers,
    content: { 'application/problem+json': { schema: schemaRef('Problem'), examples } },
  };
}

/** Every refusal there is, by the name that operations use. */
export function createResponses() {
  return {
    BadRequest: refusal(
      'The id is not one that the resource can have, or the request is not well-formed HTTP.',
      perhaps,
      'malformed-id',
      'malformed-request',
    ),
    Forbidden: refusal(
      'No key, one that cannot be used, whatever the reason, or one without the scope of this resource.',
      perhaps,
      'key-refused',
      'scope-missing',
    ),
    NotFound: refusal("There is no such object, or it is another partner's.", known, 'not-found'),
    MethodNotAllowed: refusal(
      'Another method than GET and HEAD.',
      { ...perhaps, ...headerRefs('Allow') },
      'method-not-allowed',
    ),
    RequestTimeout: refusal('The request did not arrive in time.', always, 'request-timeout'),
    TooManyRequests: refusal(
      'The key has made all the requests of its window.',
      { ...known, ...headerRefs('RetryAfter') },
      'rate-limited',
    ),
    HeadersTooLarge: refusal(
      'The request line and the header fields are over 16 KiB together.',
      always,
      'headers-too-large',
    ),
    InternalServerError: refusal('The service failed.', perhaps, 'internal-error'),
  };
}
