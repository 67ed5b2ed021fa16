import type { UpstreamResponse } from '../../src/upstream/layer.ts';

/** A response of the REST API as the transport passes it on. */
export function responseOf(
  status: number,
  body = `${status}`,
  headers: UpstreamResponse['headers'] = {},
): UpstreamResponse {
  const sent = { status, headers, body: Buffer.from(body), sentPath: '/v1/site/SITE-1' };
  return { ...sent, retryAfter: undefined, isDecoded: false, isStored: false, resource: undefined };
}
