import type { Send, UpstreamRequest, UpstreamResponse } from '../../src/rest/call.ts';

type Fields = UpstreamResponse['headers'];

/** A response of the REST API as the transport passes it on. */
export function responseOf(status: number, body = `${status}`, fields: Fields = {}): UpstreamResponse {
  const sent = { status, headers: fields, body: Buffer.from(body), sentPath: '/v1/site/SITE-1' };
  return {
    ...sent,
    retryAfter: undefined,
    notices: null,
    isCounted: false,
    isStored: false,
    resource: undefined,
  };
}

/** The layer after another: it makes `call` of every request. */
export function sendBy(call: (request: UpstreamRequest) => Promise<UpstreamResponse>): Send {
  return (request, done) => void call(request).then(done, done);
}

/** The response to a request; rejects with its error. */
export function responseTo(send: Send, request: UpstreamRequest): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) =>
    send(request, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
  );
}
