import { openGateway, postOperation, type TestSettings } from '../support/gateway.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';
import { bodyOf, send } from '../support/wire.ts';

/** A key that is also sent as a name, a trace id and a part of an id. */
export const canary = 'c4a7e1b2c3d4e5f60718293a4b5c6d7e';

/** A gateway that has got the canary wherever a client or the REST API may send it; the caller closes it. */
export async function openWithCanary(settings: TestSettings = {}) {
  const upstream = await startUpstream((req, res) => {
    const status = Number(/SITE-(\d{3})/.exec(req.url ?? '')?.[1] ?? 200);
    sendJson(res, { id: canary, [canary]: canary }, status, { 'x-echo': canary });
  });
  const gateway = await openGateway(upstream.url, { LOG_LEVEL: 'debug', retryPercent: 0, ...settings });
  const { url, origin, logged } = gateway;
  const headers = {
    'x-request-id': canary,
    traceparent: `00-${canary}-${canary.slice(0, 16)}-01`,
    tracestate: `a=${canary}`,
    authorization: `Bearer ${canary}`,
    cookie: canary,
    'x-client-name': canary,
    'x-client-version': canary,
  };
  const documents = [
    `query ${canary} { site(id: "SITE-${canary}") { id } }`,
    `query ${canary} { site(id: "SITE-500${canary}") { id } }`,
    `query ${canary.slice(4, 20)} { health { statusCode } }`,
    `query ${canary} { ${canary} }`,
    `{ "${canary}" }`,
  ];
  // Responses may quote the document to its own client, and are not checked here.
  for (const document of documents) {
    for (let n = 0; n < 3; n += 1)
      await postOperation(url, document, { variables: { canary }, key: canary, headers });
  }
  const type = { 'content-type': 'application/json' };
  await send(origin, { headers: { ...headers, ...type, 'x-api-key': [canary, 'x'] }, body: bodyOf('{ a }') });
  await send(origin, { headers: { ...headers, ...type, 'x-api-key': `${canary} x` }, body: bodyOf('{ a }') });
  await send(origin, { headers: { ...headers, ...type, 'x-api-key': canary }, body: canary });
  await logged('operation', 18);
  return gateway;
}
