import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createInput } from '../../src/input.ts';
import type { Loaders } from '../../src/loaders.ts';
import { createCompiler } from '../../src/operation/compiler.ts';
import { schema } from '../../src/schema/index.ts';
import { ResponseBudget } from '../../src/schema/response-budget.ts';
import { testConfig } from '../support/gateway.ts';

/** A compiler whose clock stands still, so that it may always compile. */
const start = (options: Partial<Parameters<typeof createCompiler>[0]> = {}) =>
  createCompiler({ schema, maxBytes: 1_000_000, percent: 10, checksOf: () => [], now: () => 0, ...options });

/** Loaders that record what is loaded, and find nothing. */
function loadersOf(loaded: string[]): Loaders {
  const load = async (id: string) => {
    loaded.push(id);
    return null;
  };
  return {
    site: load,
    conversationContext: load,
    health: () => Promise.reject(new Error('No operation here loads it.')),
    calls: [],
    loadCount: 0,
    mergesTick: true,
    record: () => undefined,
    budget: { used: 0, limit: 0 },
  };
}

/** Records the operation until it is compiled, and executes it. */
async function executed(text: string, variables?: Record<string, unknown>, data: Partial<Loaders> = {}) {
  const compiler = start();
  const document = parse(text);
  compiler.record(document, null, variables);
  compiler.record(document, null, variables);
  const loaded: string[] = [];
  const response = new ResponseBudget({ maxValues: 1000, maxErrors: 10 });
  const context = { loaders: { ...loadersOf(loaded), ...data }, input: createInput(testConfig()), response };
  const found = compiler.find(document, null, variables);
  const body = await new Promise<string | undefined>((resolve) => {
    if (found) found.execute(context, found.variables, 10_000, resolve);
    else resolve(undefined);
  });
  return { body, loaded };
}

/** Whether an operation is compiled after three executions. */
function isCompiled(text: string, variables?: Record<string, unknown>, compiler = start()): boolean {
  const document = parse(text);
  for (let n = 0; n < 3; n += 1) compiler.record(document, null, variables);
  return compiler.find(document, null, variables) !== undefined;
}

/** The memory that a compiled operation counts for. */
function bytesOfCompiled(text: string): number {
  const compiler = start({ maxBytes: 100_000_000 });
  isCompiled(text, {}, compiler);
  return compiler.usage.bytes;
}

describe('compiles an operation', () => {
  it('when it is executed for the second time', () => {
    const compiler = start();
    const document = parse('{ __typename }');
    expect(compiler.find(document, null, null)).toBeUndefined();
    compiler.record(document, null, null);
    expect(compiler.find(document, null, null)).toBeUndefined();
    compiler.record(document, undefined, null);
    expect(compiler.find(document, null, null)).toBeDefined();
    expect(compiler.find(parse('{ __typename }'), null, null)).toBeUndefined();
  });

  it('which reads its variables at each execution, and leaves errors to the full pipeline', async () => {
    const text = 'query ($id: ID!) { site(id: $id) { id } }';
    expect(await executed(text, { id: 'no-site' })).toEqual({ body: undefined, loaded: [] });
    expect(await executed(text, { id: 'SITE-1' })).toEqual({
      body: '{"data":{"site":null}}',
      loaded: ['SITE-1'],
    });
    expect((await executed(text, { id: 7 })).loaded).toEqual([]);
    expect((await executed(text, {})).loaded).toEqual([]);
  });

  it('as long as there is memory: the least recently used one is dropped', () => {
    // Each takes an eighth of the memory, which is the most that one may take.
    const compiler = start({ maxBytes: 8 * bytesOfCompiled('{ a: __typename }') });
    const [first, ...others] = [...'abcdefghi'].map((alias) => parse(`{ ${alias}: __typename }`));
    for (const document of [first, ...others]) {
      if (!document) continue;
      compiler.record(document, null, null);
      compiler.record(document, null, null);
    }
    expect(first && compiler.find(first, null, null)).toBeUndefined();
    expect(others.every((document) => compiler.find(document, null, null) !== undefined)).toBe(true);
    expect(isCompiled('{ a: __typename b: __typename }', {}, compiler)).toBe(false);
  });

  it('which pauses after two incomplete executions in a row', () => {
    const compiler = start();
    const document = parse('{ __typename }');
    compiler.record(document, null, null);
    compiler.record(document, null, null);
    const executions = (count: number, isComplete: boolean) =>
      Array.from({ length: count }, () => {
        const found = compiler.find(document, null, null);
        found?.onExecuted(isComplete);
        return found !== undefined;
      });
    expect(executions(1, false)).toEqual([true]);
    expect(executions(1, true)).toEqual([true]);
    expect(executions(17, false)).toEqual([true, true, ...Array(15).fill(false)]);
    expect(executions(16, false)).toEqual([true, ...Array(15).fill(false)]);
    expect(executions(2, true)).toEqual([true, true]);
  });

  it('whose memory includes its document, comments and all', () => {
    const text = '{ health { reachable } }';
    const withComments = `${'#\n'.repeat(1000)}${text}`;
    // At least 100 bytes for each token.
    expect(bytesOfCompiled(withComments)).toBeGreaterThan(bytesOfCompiled(text) + 1000 * 100);
  });

  it('in a tenth of the time at most', () => {
    let nowMs = 0;
    // The clock advances by a millisecond whenever it is read: each operation takes one to compile.
    const compiler = start({ maxBytes: 100_000_000, now: () => nowMs++ });
    let compiled = 0;
    for (let n = 0; nowMs < 1000; n += 1)
      if (isCompiled(`{ a${n}: __typename }`, {}, compiler)) compiled += 1;
    expect(compiled).toBeGreaterThan(50);
    expect(compiled).toBeLessThanOrEqual(100);
  });
});

describe('compiles a variant of an operation for each value of its conditions,', () => {
  const text = `query ($a: Boolean!, $b: Boolean = true) {
    ... @include(if: $a) { x: __typename }
    y: __typename @skip(if: $b)
    x: __typename
  }`;

  it('but none for null, which is an error', () => {
    expect(isCompiled(text, { a: true, b: null })).toBe(false);
  });

  it('and at most 32 of them', () => {
    const names = [...'abcdef'];
    const document = parse(
      `query (${names.map((name) => `$${name}: Boolean!`)}) {
        ${names.map((name) => `${name}: __typename @skip(if: $${name})`)}
      }`,
    );
    const compiler = start({ maxBytes: 100_000_000 });
    for (let n = -1; n < 64; n += 1) {
      const values = names.map((name, bit) => [name, (Math.abs(n) & (1 << bit)) !== 0]);
      compiler.record(document, null, Object.fromEntries(values));
    }
    expect(compiler.usage.operations).toBe(32);
  });
});

it.each([
  ['@defer', '{ ... @defer { __typename } }'],
  ['introspection', '{ __schema { queryType { name } } }'],
  ['an argument that cannot fit', '{ site(id: null) { id } }'],
])('leaves %s to the full pipeline', (_, text) => {
  expect(isCompiled(text)).toBe(false);
});

it('writes names and texts of any kind as JSON', async () => {
  expect((await executed('{ __proto__: __typename }')).body).toBe('{"data":{"__proto__":"Query"}}');
  const { loaded } = await executed(String.raw`{ site(id: "SITE-\"+globalThis.x+\"") { id } }`);
  expect(loaded).toEqual(['SITE-"+globalThis.x+"']);
});

describe('stops before the response is much larger than its limit', () => {
  const uuid = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
  const long = 'x'.repeat(4000);
  const nineTimes = (selection: string) =>
    Array.from({ length: 9 }, (_, n) => `a${n}: ${selection}`).join(' ');

  it('within one object', async () => {
    let serialized = 0;
    const body = {
      toJSON() {
        serialized += 1;
        return long;
      },
    };
    const health = async () => ({ reachable: true, statusCode: 200, latencyMs: 1, body });
    const text = `{ health { ${nineTimes('body')} } }`;
    expect((await executed(text, {}, { health })).body).toBeUndefined();
    expect(serialized).toBe(3);
  });

  it('where data that is still being loaded follows the text', async () => {
    const context = {
      ...({ id: uuid, subject: null, messages: null, status: null, type: null, urgency: null } as const),
      ...({ labels: null, requester: null, participants: null } as const),
      sites: [{ id: 'SITE-1', address: long, serviceLevel: null, associatedConversations: null }],
    };
    const conversationContext = async () => context;
    const text = `{ conversationContext(id: "${uuid}") { ${nineTimes('sites { address site { id } }')} } }`;
    const { body, loaded } = await executed(text, {}, { conversationContext });
    expect(body).toBeUndefined();
    expect(loaded).toEqual(['SITE-1', 'SITE-1']);
  });
});
