import fc from 'fast-check';
import { expect, it } from 'vitest';
import { subgraphContract } from '../../support/contract.ts';
import { assertUntil } from '../../support/draw.ts';
import { contextSamples, siteSamples } from '../../support/samples.ts';
import { drawSeed, scale, scaled } from '../../support/scale.ts';
import { siteFromPath } from '../../support/upstream.ts';
import { documents, ways } from '../fuzz/document.ts';
import { operationsOf } from '../property/operation.ts';
import { startComparison, timeout } from './comparison.ts';
import { origins, others } from './heads.ts';
import { type Case, corpusKey, type Fields, get, post } from './requests.ts';
import type { Replies } from './upstream.ts';

const numRuns = scaled(10);
const limit = timeout + numRuns * 500;
/** How many requests must be eligible for the fast path. */
const enough = numRuns / 2;
/** The quick run repeats the same draws each time. */
const seed = drawSeed ?? (scale > 1 ? Math.trunc(Math.random() * 2 ** 31) : 20261123);

/** The data of the upstream: one site and one conversation for every id, and the sites that it rejects. */
interface World {
  site: object;
  context: object;
  rejections: Record<string, number>;
}

const rejectable = ['SITE-1', 'SITE-2', 'SITE-3', 'SITE-4', 'SITE-403', 'SITE-404', 'SITE-429', 'SITE-500'];

const worlds: fc.Arbitrary<World> = fc.record({
  site: siteSamples('').map(({ json }) => Object(json)),
  context: contextSamples.map(({ json }) => Object(json)),
  rejections: fc.dictionary(fc.constantFrom(...rejectable), fc.constantFrom(403, 404, 429, 500, 503), {
    maxKeys: 3,
  }),
});

function repliesOf(world: () => World): Replies {
  return (path) => {
    const { site, context, rejections } = world();
    if (path === '/v1/health') return { status: 200, text: JSON.stringify(context) };
    if (!path.startsWith('/v1/site/')) return { status: 200, text: JSON.stringify(context) };
    const { id } = siteFromPath(path);
    return { status: rejections[id] ?? 200, text: JSON.stringify({ ...site, id }) };
  };
}

const heads: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constantFrom(...others, ...origins) },
);

const operations = fc.oneof(
  {
    weight: 4,
    arbitrary: operationsOf(subgraphContract).map(({ text, variables }) => ({ query: text, variables })),
  },
  { weight: 1, arbitrary: documents },
);

const cases: fc.Arbitrary<Case> = fc
  .tuple(operations, ways, heads, fc.nat(3), fc.nat(19))
  .map(([{ query, variables }, way, head, uncommon, keyless]) => {
    const fields: Fields = {
      Accept: uncommon === 0 ? way.accept : 'application/json',
      'x-explain': way.explain ?? null,
      'X-Api-Key': keyless === 0 ? null : corpusKey,
      'x-max-calls': keyless % 4 === 1 ? '2' : null,
      ...head,
    };
    const params = { query, variables, operationName: way.operationName, extensions: way.extensions };
    return way.method === 'GET' ? get(params, { fields }) : post(params, { fields });
  })
  // Under an alias, a duration cannot be masked in the comparison.
  .filter(({ wire }) => !wire.includes('latencyMs'));

it('answers random requests like the full pipeline', { timeout: 2 * limit }, async () => {
  let world: World | undefined;
  const comparison = await startComparison(
    { CORS_ORIGINS: 'https://app.test', FEDERATION: 'on' },
    { replies: repliesOf(() => world ?? { site: {}, context: {}, rejections: {} }) },
  );
  const property = fc.asyncProperty(
    worlds,
    fc.array(cases, { minLength: 1, maxLength: 3 }),
    async (drawn, together) => {
      world = drawn;
      await comparison.send(...together);
      comparison.expectSameAnswers();
    },
  );
  await assertUntil(() => comparison.eligible() > enough, property, {
    numRuns,
    seed,
    interruptAfterTimeLimit: limit,
    markInterruptAsFailure: true,
  });
  comparison.expectSame();
  expect(comparison.eligible()).toBeGreaterThan(enough);
});
