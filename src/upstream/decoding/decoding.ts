import type { Layer, OnFailure, UpstreamResponse } from '../call.ts';
import {
  UpstreamForbidden,
  UpstreamInvalidResponse,
  UpstreamRateLimited,
  UpstreamUnavailable,
} from '../errors.ts';
import { retryAfterFrom } from '../transport.ts';
import type { Drift } from './shape.ts';

/** Decodes the body of a response into its resource, and turns every other response than 200 and 404 into an UpstreamError. */
export function decoding(drift: Drift, onFailure: OnFailure | undefined): Layer {
  return (next) => (request, done) => {
    const { caller, target } = request;
    if (!target.fromJson) return next(request, done);
    next(request, (outcome) => {
      if (outcome instanceof Error) return done(outcome);
      const { status, sentPath, isDecoded } = outcome;
      // The drift and the failure of one response count once, however many callers share it.
      outcome.isDecoded = true;
      let error: Error | undefined;
      try {
        outcome.resource =
          status === 404 ? null : target.fromJson?.(jsonFrom(outcome), isDecoded ? noop : drift);
      } catch (thrown) {
        error = thrown as Error;
        // The transport has reported the failure of another status.
        if (status === 200 && !isDecoded) onFailure?.({ path: sentPath, status }, caller, error);
      }
      done(error ?? outcome);
    });
  };
}

/** The body of a 200 as JSON (REST document, section 7, and HTTP where that says nothing). */
function jsonFrom({ status, body, headers, retryAfter }: UpstreamResponse): unknown {
  if (status === 401 || status === 403) throw new UpstreamForbidden();
  if (status === 429) throw new UpstreamRateLimited(retryAfter);
  if (status >= 500) {
    throw new UpstreamUnavailable(status, {}, retryAfterFrom(headers['retry-after'], Date.now()));
  }
  if (status !== 200) throw new UpstreamInvalidResponse(`its status is ${status}`);
  const json = parse(body);
  if (json === undefined) throw new UpstreamInvalidResponse('it is not JSON');
  return json;
}

/** Undefined for a body that is not JSON. */
export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** JSON that can be serialized again: null for what is nested deeper than 100 levels, which may be too deep for that. */
export function serializable(json: unknown): unknown {
  return nestsAtMost(json, 100) ? (json ?? null) : null;
}

function nestsAtMost(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return levels > 0 && Object.values(json).every((inner) => nestsAtMost(inner, levels - 1));
}

function noop(): void {}
