import { expect, it } from 'vitest';
import { bodyCases } from './bodies.ts';
import { expectSame, startComparison, timeout } from './comparison.ts';
import { healthBodies } from './data.ts';
import {
  deferred,
  documentsWithParameters,
  largeDocuments,
  likeEachOther,
  validDocuments,
} from './documents.ts';
import { acceptCases, headCases } from './heads.ts';
import { type Case, post } from './requests.ts';

const posts = (all: readonly unknown[], fields = {}) => all.map((params) => post(params, { fields }));

const incremental = ['multipart/mixed', 'text/event-stream', 'application/json', '*/*'].flatMap((Accept) =>
  [undefined, true, false].flatMap((d) =>
    posts(
      deferred.map((query) => ({ query, variables: { d } })),
      { Accept },
    ),
  ),
);

const moods = [...Object.keys(healthBodies), 'bytes', 's204', 's403', 's429', 's500', 's503'];
const health = moods.flatMap((mood) =>
  ['{ health { reachable statusCode latencyMs body } site(id: "SITE-1") { id } }', '{ health { body } }'].map(
    (query) => post({ query }, { fields: { 'X-Api-Key': `mood-${mood}-0123456789` } }),
  ),
);

/** Requests by their kind, and how many of those the fast path may take at least. */
const kinds: [string, Case[], number][] = [
  ['valid documents', posts(validDocuments), 120],
  ['reports of cost', posts(validDocuments, { 'x-explain': 'report' }).filter((_, n) => n % 4 === 0), 30],
  ['incremental responses', incremental, 40],
  ['arguments, variables and operation names', posts(documentsWithParameters), 100],
  ['large and invalid documents', posts(largeDocuments), 40],
  ['any health document', health, 40],
  ['parameters of any kind', bodyCases, 80],
  ['every Accept header', acceptCases, 100],
  ['heads that decide nothing, or the lane', headCases, 50],
];

it.each(kinds)('answers %s like the full pipeline', { timeout }, async (_, cases, atLeastEligible) => {
  await expectSame(cases, atLeastEligible);
});

it('distinguishes documents and operation names like the full pipeline', { timeout }, async () => {
  const comparison = await startComparison();
  await comparison.send(...posts(likeEachOther));
  comparison.expectSame();
  expect(comparison.eligible()).toBeGreaterThan(15);
});
