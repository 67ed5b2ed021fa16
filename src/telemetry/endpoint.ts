import type { UpstreamCall } from '../upstream/caller.ts';

/** What there is to ask of the REST API. */
type Endpoint = 'site' | 'conversation' | 'health';

export function endpointOf({ path }: Pick<UpstreamCall, 'path'>): Endpoint {
  if (path.startsWith('/v1/site/')) return 'site';
  return path.startsWith('/v1/conversation/') ? 'conversation' : 'health';
}

/** The path with `{id}` in the place of the id, which is what a caller sent: `/v1/site/{id}?include=clients`. */
export function templateOf({ path }: Pick<UpstreamCall, 'path'>): string {
  return path.replace(/^(\/v1\/(?:site|conversation)\/)[^/?]+/, '$1{id}');
}

const known = new Set([200, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504]);

/** Of a few words: the status where it is a common one, else its class; `none` where no answer came. */
export function statusLabel(status: number | null): string {
  if (status === null) return 'none';
  return known.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}
