import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codes, type GraphqlResponse, postQuery, startBoth } from '../support/gateway.ts';
import { contextSamples, siteSamples } from '../support/samples.ts';
import { everyField } from '../support/selection.ts';
import { sendJson } from '../support/upstream.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const everything = `{
  site(id: "SITE-1") ${everyField('Site')}
  conversationContext(id: "${conversation}") ${everyField('ConversationContext', ['ConversationSite.site'])}
}`;

/** A gateway whose upstream sends the body that is set before each request. */
async function startWithBodies() {
  const bodies: { site: unknown; context: unknown } = { site: null, context: null };
  const { upstream, gateway } = await startBoth({}, (req, res) =>
    sendJson(res, req.url?.startsWith('/v1/site/') ? bodies.site : bodies.context),
  );
  return async (site: unknown, context: unknown) => {
    upstream.requests.length = 0;
    Object.assign(bodies, { site, context });
    const response = await postQuery(gateway.url, everything);
    expect(upstream.paths().sort()).toEqual([
      `/v1/conversation/${conversation}/context`,
      '/v1/site/SITE-1?include=clients,projects',
    ]);
    return response;
  };
}

/** An upstream fault must not become an internal error of the gateway. */
function expectServed(response: GraphqlResponse) {
  expect(response.status).toBe(200);
  expect(codes(response).filter((code) => code !== 'UPSTREAM_INVALID_RESPONSE')).toEqual([]);
}

it('returns every value that fits the contract, whatever the others are', async () => {
  const requestAll = await startWithBodies();
  await fc.assert(
    fc.asyncProperty(siteSamples('SITE-1'), contextSamples, async (site, context) => {
      const response = await requestAll(site.json, context.json);
      expectServed(response);
      expect(response.data).toMatchObject({ site: site.want, conversationContext: context.want });
    }),
    { numRuns: 50 },
  );
});

it('responds to any JSON with data or UPSTREAM_INVALID_RESPONSE, never with an internal error', async () => {
  const requestAll = await startWithBodies();
  const named = fc
    .record({ id: fc.constant('SITE-1') })
    .chain((id) =>
      fc
        .dictionary(
          fc.constantFrom('clients', 'projects', 'serviceLevel', 'accountManager', 'sites', 'labels'),
          fc.jsonValue(),
        )
        .map((rest) => ({ ...rest, ...id })),
    );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), named),
      fc.oneof(fc.jsonValue(), named),
      async (site, context) => expectServed(await requestAll(site, context)),
    ),
    { numRuns: 50 },
  );
});
