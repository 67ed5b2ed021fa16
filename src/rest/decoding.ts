import { isMissing, type Layer, notify, type OnFailure, type UpstreamResponse } from './call.ts';
import {
  isUnavailable,
  UpstreamForbidden,
  UpstreamInvalidResponse,
  UpstreamRateLimited,
  UpstreamUnavailable,
} from './errors.ts';
import { type Drift, parse, textOf, uncounted } from './json.ts';
import { healthTarget, type Target } from './targets.ts';

/** Decodes a body into its resource; any other status than 200, 404 and 410 becomes an UpstreamError. Health passes as it is. */
export function decoding(drift: Drift, onFailure?: OnFailure): Layer {
  return (next) => (request, done) => {
    const { caller, target } = request;
    if (target === healthTarget) return next(request, done);
    next(request, (outcome) => {
      if (outcome instanceof Error) return done(outcome);
      const { status, sentPath, isCounted } = outcome;
      // The drift and the failure of one response count once, however many callers share it.
      outcome.isCounted = true;
      let result: UpstreamResponse | Error;
      try {
        result = withResource(outcome, target, isCounted ? uncounted : drift);
      } catch (error) {
        result = error as Error;
        // The transport has reported every other failure; this layer reports a 200 with an invalid body, once.
        if (status === 200 && !isCounted) notify(onFailure, { path: sentPath, status }, caller, error);
      }
      done(result);
    });
  };
}

/** The response with the resource of a target. @throws UpstreamError unless it is usable */
function withResource(response: UpstreamResponse, target: Target, drift: Drift): UpstreamResponse {
  if (response.status !== 200) return withoutResource(response);
  // A larger call was joined: this target reads its own relations.
  if (target.path !== response.sentPath) return { ...response, resource: decoded(target, response, drift) };
  // Callers of one path share the resource, which nothing writes to.
  response.resource ??= decoded(target, response, drift);
  return response;
}

/** Statuses mean what the REST document, section 7, says, else HTTP: 410 is a 404. @throws UpstreamError for any other */
function withoutResource(response: UpstreamResponse): UpstreamResponse {
  const { status, retryAfter } = response;
  if (isMissing(status)) return { ...response, status: 404, resource: null };
  if (status === 401 || status === 403) throw new UpstreamForbidden();
  if (status === 429) throw new UpstreamRateLimited(retryAfter);
  throw isUnavailable(status)
    ? new UpstreamUnavailable(status)
    : new UpstreamInvalidResponse(`its status is ${status}`);
}

/** The resource of a body. Without `drift` none is counted. @throws UpstreamInvalidResponse */
export function decoded(target: Target, { body }: { body: Buffer }, drift: Drift = uncounted): unknown {
  const json = parse(textOf(body));
  if (json === undefined) throw new UpstreamInvalidResponse('it is not JSON');
  return target.fromJson(json, drift);
}
