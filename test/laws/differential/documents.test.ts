import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contract } from '../../support/contract.ts';
import { scaled } from '../../support/scale.ts';
import { type Operation, operationsOf } from '../property/operation.ts';
import { boundless } from '../property/stage.ts';
import { askedDocuments, likeEachOther } from './asked.ts';
import { expectSame, timeout } from './corpus.ts';
import { deferred, validDocuments } from './documents.ts';
import { invalidDocuments } from './invalid.ts';
import { type Case, post } from './requests.ts';
import { openStage } from './stage.ts';
import { healthBodies } from './texts.ts';

it('answers documents that are right as without the lane', { timeout }, async () => {
  const cases = validDocuments.map((params) => post(params));
  await expectSame(cases, 200);
});

it('tells what they cost as without the lane', { timeout }, async () => {
  const some = validDocuments.filter((_, n) => n % 4 === 0);
  const cases = some.map((params) => post(params, { fields: { 'x-explain': 'report' } }));
  await expectSame(cases, 60);
});

it('answers in parts as without the lane', { timeout }, async () => {
  const asked = [undefined, true, false].flatMap((d) =>
    deferred.map((query) => ({ query, variables: { d } })),
  );
  const forms = ['multipart/mixed', 'text/event-stream', 'application/json', '*/*'];
  const cases = forms.flatMap((Accept) => asked.map((params) => post(params, { fields: { Accept } })));
  await expectSame(cases, 40);
});

it('tells documents and names of operations apart as without the lane', { timeout }, async () => {
  const stage = await openStage();
  await stage.send(...likeEachOther.map((params) => post(params)));
  stage.expectSame();
  expect(stage.eligible()).toBeGreaterThan(30);
});

it('answers arguments, variables and names of operations as without the lane', { timeout }, async () => {
  const cases = askedDocuments.map((params) => post(params));
  await expectSame(cases, 200);
});

it('answers documents that are wrong, or nearly, as without the lane', { timeout }, async () => {
  const cases = invalidDocuments.map((params) => post(params));
  await expectSame(cases, 100);
});

it('passes on whatever health may be as without the lane', { timeout }, async () => {
  const moods = [...Object.keys(healthBodies), 's204', 's403', 's429', 's500', 's503'];
  const documents = [
    '{ health { reachable statusCode latencyMs body } site(id: "SITE-1") { id } }',
    '{ health { body } }',
  ];
  const cases = moods.flatMap((mood) =>
    documents.map((query) => post({ query }, { fields: { 'X-Api-Key': `mood-${mood}-0123456789` } })),
  );
  await expectSame(cases, 60);
});

it.each([
  ['within their limits', {}],
  ['of any size', boundless],
])('answers random operations %s as without the lane', { timeout }, async (_, env) => {
  const numRuns = scaled(10);
  const drawn = fc.sample(operationsOf(contract, true), { seed: 7, numRuns });
  await expectSame(drawn.flatMap(casesOf), numRuns, env);
});

/** As it is, and with ids that are all well. */
function casesOf({ text, variables }: Operation): Case[] {
  const params = { query: text, variables };
  const tame = JSON.stringify(params)
    .replace(/SITE-(404|500|5|8 north wing)\b|HOUSE-1/g, 'SITE-2')
    .replace(/no-uuid|(?<=ab0)[49]\b/g, '1');
  return [post(params), post(JSON.parse(tame))];
}
