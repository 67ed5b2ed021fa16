import fc, { type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { codes, postQuery, startBoth } from '../support/gateway.ts';
import { anything, contextSamples, type Sample, siteSamples } from '../support/samples.ts';
import { everyField } from '../support/selection.ts';
import { conversation, sendJson } from '../support/upstream.ts';

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

/** Mostly objects, in which any field may be wrong; without an expected value for other JSON. */
const orAnyJson = (samples: Arbitrary<Sample>) =>
  fc.oneof(
    { arbitrary: samples, weight: 4 },
    { arbitrary: fc.jsonValue().map((json): Sample => ({ json, want: anything })), weight: 1 },
  );

it('returns every value that fits the contract, whatever the others are, and no internal error', async () => {
  const requestAll = await startWithBodies();
  await fc.assert(
    fc.asyncProperty(orAnyJson(siteSamples('SITE-1')), orAnyJson(contextSamples), async (site, context) => {
      const response = await requestAll(site.json, context.json);
      expect(response.status).toBe(200);
      expect(codes(response).filter((code) => code !== 'UPSTREAM_INVALID_RESPONSE')).toEqual([]);
      expect(response.data).toMatchObject({ site: site.want, conversationContext: context.want });
    }),
    { numRuns: 60 },
  );
});
