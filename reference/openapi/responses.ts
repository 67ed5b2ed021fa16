import { type ProblemKind, problemFromKind } from '../http/problems.ts';
import { headers } from './headers.ts';
import { schemaRef } from './schemas.ts';

const headerRefs = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name.replace(/(?<=[a-z])[A-Z]/g, '-$&').replace('Rate-Limit', 'RateLimit'),
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const always = headerRefs('CacheControl', 'Deprecation', 'Sunset');
const withRateLimit = { ...always, ...headerRefs('RateLimitPolicy', 'RateLimit') };
/** The rate limit is absent if the request was rejected before its key was checked. */
const optional = {
  ...always,
  'RateLimit-Policy': { ...headers.RateLimitPolicy, required: false },
  RateLimit: { ...headers.RateLimit, required: false },
};

/** A 200 with this schema, or with any object for an empty name. */
export function responseOf(description: string, name: string, isBehindKey = true) {
  const schema = name === '' ? { type: 'object' } : schemaRef(name);
  return {
    description,
    headers: isBehindKey ? withRateLimit : always,
    content: { 'application/json': { schema } },
  };
}

function problem(description: string, headers: object, ...kinds: ProblemKind[]) {
  const examples = Object.fromEntries(kinds.map((kind) => [kind, { value: problemFromKind(kind) }]));
  return {
    description,
    headers,
    content: { 'application/problem+json': { schema: schemaRef('Problem'), examples } },
  };
}

/** The problems, by component name. */
export function createResponses() {
  return {
    BadRequest: problem('The id is not one that the resource can have.', withRateLimit, 'malformed-id'),
    Forbidden: problem(
      'No key, one that cannot be used, whatever the reason, or one without the scope of this resource.',
      optional,
      'key-refused',
      'scope-missing',
    ),
    NotFound: problem("There is no such object, or it is another partner's.", withRateLimit, 'not-found'),
    MethodNotAllowed: problem(
      'Another method than GET and HEAD.',
      { ...optional, ...headerRefs('Allow') },
      'method-not-allowed',
    ),
    TooManyRequests: problem(
      'The key has made all the requests of its window.',
      { ...withRateLimit, ...headerRefs('RetryAfter') },
      'rate-limited',
    ),
    InternalServerError: problem('The service failed.', optional, 'internal-error'),
    ServiceUnavailable: problem(
      'The database of the service is not available.',
      { ...optional, ...headerRefs('RetryAfter') },
      'database-unavailable',
    ),
  };
}
