import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Attack, conversation, longConversation, manySites, plain } from '../support/attacks.ts';
import { startMeasuredGateway } from '../support/gateway-process.ts';
import { scaled } from '../support/scale.ts';
import { startRichUpstream } from '../support/upstreams/rich.ts';

const numRuns = scaled(4);

/** The limits: bytes of a response, and the most CPU time of attack-bounds.ts. */
const maxBytes = 16_777_216;
const maxCpu = 500;

const siteFields = [
  'id',
  'city',
  'createdAt',
  'cppExpDate',
  'clients { id name }',
  'projects { name signingDate warrantyExpiration }',
];
const conversationFields = [
  'id',
  'subject',
  'messages { author text rawBody }',
  'messages { __typename createdAt attachments { title } }',
  'messages @stream(initialCount: 1) { text }',
  '... @defer { messages { text } }',
  'sites { id address }',
  'sites { site { city projects { signingDate } } }',
  'sites { ... @defer { site { city } } }',
];

/** Fields under aliases, because identical fields would be merged. */
const aliased = (fields: readonly string[]) =>
  fc
    .array(fc.constantFrom(...fields), { minLength: 1, maxLength: 45 })
    .map((chosen) =>
      chosen
        .map((field, n) => (field.startsWith('...') || field.includes('@') ? field : `a${n}: ${field}`))
        .join(' '),
    );

const ids = (texts: readonly string[]) =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 16, 33, 50),
    )
    .map(([some, count]) => Array.from({ length: count }, (_, n) => some[n % some.length]));

const attack: fc.Arbitrary<Attack> = fc
  .record({
    sites: aliased(siteFields),
    conversations: aliased(conversationFields),
    siteIds: ids(['SITE-1', 'SITE-2', 'x']),
    conversationIds: ids([conversation, longConversation, manySites, 'x']),
    roots: fc.array(
      fc.constantFrom(
        'sites(ids: $s) { ...S }',
        'conversationContexts(ids: $c) { ...C }',
        '_entities(representations: $r) { ...S ...C }',
        'health { body }',
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    accept: fc.constantFrom('application/json', 'multipart/mixed', 'multipart/mixed;incrementalSpec=v0.2'),
    explain: fc.constantFrom(undefined, 'report', 'plan'),
  })
  .map(({ sites, conversations, siteIds, conversationIds, roots, accept, explain }) => {
    const selected = roots.map((root, n) => `r${n}: ${root}`).join(' ');
    const used = { s: selected.includes('$s'), c: selected.includes('$c'), r: selected.includes('$r') };
    const variables = [used.s && '$s: [ID!]!', used.c && '$c: [ID!]!', used.r && '$r: [_Any!]!']
      .filter(Boolean)
      .join(', ');
    const representations = [
      ...siteIds.slice(0, 25).map((id) => ({ __typename: 'Site', id })),
      ...conversationIds.slice(0, 25).map((id) => ({ __typename: 'ConversationContext', id })),
    ];
    return {
      query: [
        `query ${variables && `(${variables})`} { ${selected} }`,
        used.s || used.r ? `fragment S on Site { ${sites} }` : '',
        used.c || used.r ? `fragment C on ConversationContext { ${conversations} }` : '',
      ].join(' '),
      variables: {
        ...(used.s && { s: siteIds }),
        ...(used.c && { c: conversationIds }),
        ...(used.r && { r: representations }),
      },
      headers: { accept, ...(explain && { 'x-explain': explain }) },
    };
  });

it('finds no operation that costs more than the documented bounds', {
  timeout: 120_000 + numRuns * 10_000,
}, async () => {
  const upstream = await startRichUpstream();
  const gateway = await startMeasuredGateway(upstream.url, plain, { FEDERATION: 'on' });
  await fc.assert(
    fc.asyncProperty(attack, async (one) => {
      const costs = [await gateway.send(one), await gateway.send(one), await gateway.send(one)];
      for (const { status, bytes, errors } of costs) {
        expect([200, 400]).toContain(status);
        expect(bytes).toBeLessThanOrEqual(maxBytes);
        expect(errors).toBeLessThanOrEqual(10);
      }
      expect(Math.min(...costs.map(({ cpuMs }) => cpuMs)) / gateway.plainCpuMs).toBeLessThan(maxCpu);
    }),
    { numRuns, endOnFailure: true },
  );
});
