import type { UpstreamCall } from '../upstream/caller.ts';

/** The endpoints of the REST API. */
type Endpoint = 'site' | 'conversation' | 'health';

export function endpointOf({ path }: Pick<UpstreamCall, 'path'>): Endpoint {
  if (path.startsWith('/v1/site/')) return 'site';
  return path.startsWith('/v1/conversation/') ? 'conversation' : 'health';
}

/** The path without the id, which comes from the client: `/v1/site/{id}?include=clients`. */
export function templateOf({ path }: Pick<UpstreamCall, 'path'>): string {
  return path.replace(/^(\/v1\/(?:site|conversation)\/)[^/?]+/, '$1{id}');
}

const known = new Set([200, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504]);

/** A label with few values: the status if it is a common one, else its class; `none` without a response. */
export function statusLabel(status: number | null): string {
  if (status === null) return 'none';
  return known.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}
