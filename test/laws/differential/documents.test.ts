import { expect, it } from 'vitest';
import { expectSame, startComparison, timeout } from './comparison.ts';
import { healthBodies } from './data.ts';
import { deferred, validDocuments } from './documents.ts';
import { invalidDocuments } from './invalid.ts';
import { documentsWithParameters, likeEachOther } from './parameters.ts';
import { post } from './requests.ts';

it('answers valid documents like the full pipeline', { timeout }, async () => {
  const cases = validDocuments.map((params) => post(params));
  await expectSame(cases, 200);
});

it('reports the cost of operations like the full pipeline', { timeout }, async () => {
  const some = validDocuments.filter((_, n) => n % 4 === 0);
  const cases = some.map((params) => post(params, { fields: { 'x-explain': 'report' } }));
  await expectSame(cases, 60);
});

it('sends incremental responses like the full pipeline', { timeout }, async () => {
  const params = [undefined, true, false].flatMap((d) =>
    deferred.map((query) => ({ query, variables: { d } })),
  );
  const forms = ['multipart/mixed', 'text/event-stream', 'application/json', '*/*'];
  const cases = forms.flatMap((Accept) => params.map((params) => post(params, { fields: { Accept } })));
  await expectSame(cases, 40);
});

it('distinguishes documents and operation names like the full pipeline', { timeout }, async () => {
  const comparison = await startComparison();
  await comparison.send(...likeEachOther.map((params) => post(params)));
  comparison.expectSame();
  expect(comparison.eligible()).toBeGreaterThan(30);
});

it('handles arguments, variables and operation names like the full pipeline', { timeout }, async () => {
  const cases = documentsWithParameters.map((params) => post(params));
  await expectSame(cases, 200);
});

it('answers invalid and almost invalid documents like the full pipeline', { timeout }, async () => {
  const cases = invalidDocuments.map((params) => post(params));
  await expectSame(cases, 100);
});

it('passes on any health document like the full pipeline', { timeout }, async () => {
  const moods = [...Object.keys(healthBodies), 'bytes', 's204', 's403', 's429', 's500', 's503'];
  const documents = [
    '{ health { reachable statusCode latencyMs body } site(id: "SITE-1") { id } }',
    '{ health { body } }',
  ];
  const cases = moods.flatMap((mood) =>
    documents.map((query) => post({ query }, { fields: { 'X-Api-Key': `mood-${mood}-0123456789` } })),
  );
  await expectSame(cases, 60);
});
