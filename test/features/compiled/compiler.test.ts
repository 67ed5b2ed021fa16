import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createCompiler } from '../../../src/features/compiled/compiler.ts';
import { schema } from '../../../src/schema/index.ts';
import { createInput } from '../../../src/schema/input.ts';
import type { Loaders } from '../../../src/schema/loaders.ts';
import { ResponseBudget } from '../../../src/schema/response-budget.ts';
import { testConfig } from '../../support/gateway.ts';

const start = (maxBytes = 1_000_000, report: (error: unknown) => void = () => {}) =>
  createCompiler({ schema, maxBytes, checkOf: () => undefined, report });

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
  };
}

/** Compiles an operation and executes it. */
async function executed(text: string, variables?: Record<string, unknown>, data: Partial<Loaders> = {}) {
  const thrown: unknown[] = [];
  const compiler = start(undefined, (error) => thrown.push(error));
  const document = parse(text);
  const loaded: string[] = [];
  const response = new ResponseBudget({ maxValues: 1000, maxErrors: 10 });
  const context = { loaders: { ...loadersOf(loaded), ...data }, input: createInput(testConfig()), response };
  const found = compiler.find(document, null, variables, false);
  const body = await new Promise<string | undefined>((resolve) => {
    if (found) found.execute(context, found.variables, 10_000, resolve);
    else resolve(undefined);
  });
  return { body, loaded, thrown };
}

/** Whether an operation is compiled, for further executions too. */
function isCompiled(text: string, variables?: Record<string, unknown>, compiler = start()): boolean {
  return compiler.find(parse(text), null, variables, true) !== undefined;
}

/** The operations that are kept: their number and their memory. */
function usageOf({ gauges }: ReturnType<typeof start>) {
  const [operations, bytes] = gauges.map(({ read }) => read());
  return { operations: Number(operations), bytes: Number(bytes) };
}

/** The memory that a compiled operation counts for. */
function bytesOfCompiled(text: string): number {
  const compiler = start(100_000_000);
  isCompiled(text, {}, compiler);
  return usageOf(compiler).bytes;
}

describe('compiles an operation', () => {
  it('for one execution, or for further ones where its document is kept', () => {
    const compiler = start();
    const document = parse('{ __typename }');
    const first = compiler.find(document, null, null, false);
    expect([first !== undefined, usageOf(compiler).operations]).toEqual([true, 0]);
    const second = compiler.find(document, undefined, null, true);
    expect([second !== undefined, usageOf(compiler).operations]).toEqual([true, 1]);
    expect(compiler.find(document, null, null, true)?.execute).toBe(second?.execute);
  });

  it('which reports a fault of the gateway, and leaves the response to the full pipeline', async () => {
    const fault = new TypeError('a fault');
    const site = () => {
      throw fault;
    };
    const text = '{ site(id: "SITE-1") { id } }';
    expect(await executed(text, {}, { site })).toEqual({ body: undefined, loaded: [], thrown: [fault] });
    const thrown: unknown[] = [];
    const report = (error: unknown) => thrown.push(error);
    const compiler = createCompiler({ schema, maxBytes: 1_000_000, checkOf: () => site, report });
    expect(isCompiled(text, {}, compiler)).toBe(false);
    expect(thrown).toEqual([fault]);
  });

  it('as long as there is memory: the least recently used one is dropped', () => {
    // Each takes an eighth of the memory, which is the most that one may take.
    const compiler = start(8 * bytesOfCompiled('{ a: __typename }'));
    const documents = [...'abcdefghi'].map((alias) => parse(`{ ${alias}: __typename }`));
    const compile = () => documents.map((document) => compiler.find(document, null, null, true)?.execute);
    const before = compile();
    expect(usageOf(compiler).operations).toBe(8);
    const [last, ...others] = compile().reverse();
    expect(last).not.toBe(before.at(-1));
    expect(others.every(Boolean)).toBe(true);
    expect(isCompiled('{ a: __typename b: __typename }', {}, compiler)).toBe(false);
  });

  it('which pauses after two incomplete executions in a row', () => {
    const compiler = start();
    const document = parse('{ __typename }');
    const executions = (count: number, isComplete: boolean) =>
      Array.from({ length: count }, () => {
        const found = compiler.find(document, null, null, true);
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
});

it('compiles at most 32 variants of an operation, one for each value of its conditions', () => {
  const names = [...'abcdef'];
  const document = parse(
    `query (${names.map((name) => `$${name}: Boolean!`)}) {
      ${names.map((name) => `${name}: __typename @skip(if: $${name})`)}
    }`,
  );
  const compiler = start(100_000_000);
  for (let n = 0; n < 64; n += 1) {
    const values = names.map((name, bit) => [name, (n & (1 << bit)) !== 0]);
    compiler.find(document, null, Object.fromEntries(values), true);
  }
  expect(usageOf(compiler).operations).toBe(32);
});

describe('stops before the response is much larger than its limit', () => {
  const uuid = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
  const long = 'x'.repeat(4000);
  const nineTimes = (selection: string) =>
    Array.from({ length: 9 }, (_, n) => `a${n}: ${selection}`).join(' ');

  it('within one object', async () => {
    let serialized = 0;
    const toJSON = () => {
      serialized += 1;
      return long;
    };
    const health = async () => ({
      ...{ reachable: true, statusCode: 200, latencyMs: 1 },
      get body() {
        return { toJSON };
      },
    });
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
