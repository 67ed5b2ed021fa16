import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createInput } from '../../src/input.ts';
import type { Loaders } from '../../src/loaders.ts';
import { createCompiler } from '../../src/operation/execution/compiler.ts';
import { schema } from '../../src/schema/index.ts';
import { ResponseBudget } from '../../src/schema/response-budget.ts';
import { testConfig } from '../support/gateway.ts';

/** A compiler whose clock stands still, so that it may always compile. */
const start = (options: Partial<Parameters<typeof createCompiler>[0]> = {}) =>
  createCompiler({ schema, maxBytes: 1_000_000, percent: 10, now: () => 0, ...options });

/** What the fields at the root would load with: each call is noted, and finds nothing. */
function loadersOf(asked: string[]): Loaders {
  const note = async (id: string) => {
    asked.push(id);
    return null;
  };
  return {
    site: note,
    conversationContext: note,
    health: () => Promise.reject(new Error('nobody asks')),
    calls: [],
    loadCount: 0,
    budget: { used: 0, limit: 0 },
  };
}

/** Notes the operation as often as it takes, and executes it. */
async function executed(text: string, operationName?: string, variables?: Record<string, unknown>) {
  const compiler = start();
  const document = parse(text);
  compiler.record(document, operationName);
  compiler.record(document, operationName);
  const asked: string[] = [];
  const response = new ResponseBudget({ maxValues: 1000, maxErrors: 10 });
  const context = { loaders: loadersOf(asked), input: createInput(testConfig()), response };
  const result = await compiler.get(document, operationName)?.(context, variables);
  return { result, asked };
}

describe('compiles an operation', () => {
  it('when it is executed for the second time', () => {
    const compiler = start();
    const document = parse('{ __typename }');
    expect(compiler.get(document, null)).toBeUndefined();
    compiler.record(document, null);
    expect(compiler.get(document, null)).toBeUndefined();
    compiler.record(document, undefined);
    expect(compiler.get(document, null)).toBeDefined();
    expect(compiler.get(parse('{ __typename }'), null)).toBeUndefined();
  });

  it('by itself, where a document has several', async () => {
    const text = 'query A { a: __typename } query B { b: __typename }';
    expect((await executed(text, 'A')).result).toEqual({ data: { a: 'Query' } });
    expect((await executed(text, 'B')).result).toEqual({ data: { b: 'Query' } });
  });

  it('with values for its variables', async () => {
    const text = 'query ($id: ID!) { site(id: $id) { id } }';
    const { result, asked } = await executed(text, undefined, { id: '"); throw 1; ("' });
    expect(result?.errors?.[0]?.message).toContain('SITE-');
    expect(asked).toEqual([]);
    expect((await executed(text, undefined, { id: 'SITE-1' })).asked).toEqual(['SITE-1']);
  });

  it('of as many as there is memory for, the least used goes first', () => {
    // One takes as much as two fields, and at most an eighth of all.
    const compiler = start({ maxBytes: 8 * 12_288 });
    const [first, ...others] = [...'abcdefghi'].map((alias) => parse(`{ ${alias}: __typename }`));
    for (const document of [first, ...others]) {
      if (!document) continue;
      compiler.record(document, null);
      compiler.record(document, null);
    }
    expect(first && compiler.get(first, null)).toBeUndefined();
    expect(others.every((document) => compiler.get(document, null) !== undefined)).toBe(true);
  });

  it('in a tenth of the time, whatever comes', () => {
    let nowMs = 0;
    // Each look at the clock is a millisecond later: each operation takes one to compile.
    const compiler = start({ maxBytes: 100_000_000, now: () => nowMs++ });
    let compiled = 0;
    for (let n = 0; nowMs < 1000; n += 1) {
      const document = parse(`{ a${n}: __typename }`);
      compiler.record(document, null);
      compiler.record(document, null);
      if (compiler.get(document, null)) compiled += 1;
    }
    expect(compiled).toBeGreaterThan(50);
    expect(compiled).toBeLessThanOrEqual(100);
  });
});

it('leaves alone what would take most of the memory', () => {
  const compiler = start({ maxBytes: 8 * 12_288 });
  const document = parse('{ a: __typename b: __typename }');
  for (let n = 0; n < 3; n += 1) compiler.record(document, null);
  expect(compiler.get(document, null)).toBeUndefined();
});

describe('never makes code of a text that could be more than a text:', () => {
  const date = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';
  it.each([
    ['a date in the words of the compiler', `{ site(id: "${date}globalThis.stung = true") { id } }`],
    ['a number', '{ site(id: "__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8") { id } }'],
    ['a default', `query ($id: ID = "${date}globalThis.stung = true") { sites(ids: [$id]) { id } }`],
    ['an element', `{ sites(ids: ["SITE-1", "${date}globalThis.stung = true"]) { id } }`],
    ['a block', `{ site(id: """${date}globalThis.stung = true""") { id } }`],
    ['quotes', '{ site(id: "\\"+globalThis.stung+\\"") { id } }'],
    ['a name of its own', '{ __proto__: __typename }'],
    ['what puts off', '{ ... @defer { __typename } }'],
  ])('%s', (_, text) => {
    const compiler = start();
    const document = parse(text);
    for (let n = 0; n < 3; n += 1) compiler.record(document, null);
    expect(compiler.get(document, null)).toBeUndefined();
    expect(globalThis).not.toHaveProperty('stung');
  });

  it.each([
    ['{ site(id: "SITE-1") { city @skip(if: true) id city } }', false],
    ['query ($a: Boolean!) { site(id: "SITE-1") { ... @include(if: $a) { city } id city } }', false],
    [
      'query ($a: Boolean!) { site(id: "SITE-1") { clients { name @skip(if: $a) ...F } } } fragment F on Client { id name }',
      false,
    ],
    ['query ($a: Boolean!) { site(id: "SITE-1") { city @skip(if: $a) town: city id } }', true],
    ['{ site(id: "SITE-1") { city id city } }', true],
  ])('nor of fields whose order the variables decide: %s', (text, isCompiled) => {
    const compiler = start();
    const document = parse(text);
    for (let n = 0; n < 3; n += 1) compiler.record(document, null);
    expect(compiler.get(document, null) !== undefined).toBe(isCompiled);
  });

  it('but of an id', async () => {
    const { asked } = await executed('{ site(id: "SITE-1001") { id } }');
    expect(asked).toEqual(['SITE-1001']);
  });
});
