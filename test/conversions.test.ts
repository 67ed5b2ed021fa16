import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findConversions } from './support/conversions.ts';

const yoga = 'Yoga types the arguments of its hooks as any: operation/request.ts has checked the parameters';
const own = 'read from a file that our own build writes';
const decoded = 'a resource that the readers of upstream/resources.ts have decoded';
const hidden = 'private state of Node, which the file checks when it is loaded';

/**
 * Conversions of values whose type nothing has checked, by the start of their finding, with the reason why
 * none of them is a value of a client, a log, a manifest or the REST API that may have any type.
 */
const allowed: Readonly<Record<string, string>> = {
  'src/operation/document.ts: shape of any': yoga,
  'src/operation/execute.ts: shape of any: args.document': yoga,
  'src/features/explain/plan.ts: shape of any': yoga,
  'src/operation/observation.ts: shape of any: result': yoga,
  'src/features/live/operation.ts: shape of any': yoga,
  'src/operation/request.ts: shape of any: result': yoga,
  'src/operation/bounds.ts: shape of any: (await iterator.next()).value': 'a result of the executor',
  'src/operation/bounds.ts: shape of any: element[0]': 'a name of Object.entries',
  'src/features/compiled/compile.ts: shape of unknown: { fieldName':
    'of graphql-js, as far as a resolver reads it',
  'src/upstream/client.ts: shape of unknown: resource': decoded,
  'src/loaders.ts: shape of any: return isFound': decoded,
  'src/upstream/json.ts: shape of any: return new Function': 'the text of the function is ours',
  'src/features/redis/sealed-store.ts: shape of any: return { ...JSON.parse': 'what a gateway has sealed',
  'src/sync-promise.ts: ': 'what the promise was resolved with',
  'src/http/socket/node-internals.ts: ': hidden,
  'src/http/response.ts: shape of any: return': 'what a method of Node returns',
  'src/features/incremental/execution.ts: shape of any: args.document': yoga,
  'src/features/graphiql/graphiql.ts: shape of any: JSON.parse': own,
  'src/features/logs/log-lines.ts: shape of any: JSON.parse': own,
  'src/command/help.ts: text of {}: String(type': 'the default of a setting',
  'src/programs/check-upstream/check-upstream.ts: shape of any: settings': 'settings of rules.ts',
  'src/programs/plan/documents.ts: shape of any: JSON.parse': 'the token of a string',
  'src/programs/plan/codegen-cost.ts: shape of unknown':
    'of the client preset, in the process of the generator',
  'src/programs/plan/code.ts: shape of any: child': 'a node of a syntax tree',
  'src/programs/check-upstream/replay.ts: text of unknown: mask(error': 'a code of errors.ts',
  'src/programs/mcp/mcp.ts: shape of any: response: { data?: object | null; errors?: unknown[] } = JSON.parse(text)':
    'its data and errors are counted and passed on, and never converted',
  'src/programs/mcp/tools.ts: shape of unknown: valueFromASTUntyped': 'a constant of GraphQL is a JSON value',
  'reference/data/unplanned.ts: shape of any: type': 'a type of the contract',
};

it('makes no text, number or key of a value before its type is known', { timeout: 240_000 }, async () => {
  const found = await findConversions(resolve(import.meta.dirname, '..'), ['src', 'reference']);
  const starts = Object.keys(allowed);
  expect(found.filter((one) => !starts.some((start) => one.startsWith(start)))).toEqual([]);
  expect(
    starts.filter((start) => !found.some((one) => one.startsWith(start))),
    'allowed, and not there',
  ).toEqual([]);
});

const sample = `
declare const sent: unknown;
declare const any: any;
declare const lists: string[][];
declare const texts: string[];
declare const one: string | number | null;
export const known = [String(one), \`\${one} \${texts}\`, texts.join(), texts.map(Number), String(new URL('a:b'))];
export const shapes: [unknown, Record<string, unknown>] = [any as unknown, sent as Record<string, unknown>];
export function thrown(error: unknown) { return String(error) + (error as Error).message; }

export const text = [String(sent), \`\${sent}\`, String({}), lists.join(), String(lists), \`\${lists}\`, any.toString()];
export const mapped = [any.map(String), lists.map(Number)];
export const sum = 'a' + any;
export const number = [Number(sent), BigInt(any), -any];
export const key = { [any]: texts[any] };
export const shape = sent as string;
export const parsed: { id: string } = JSON.parse('{}');
export function returned(): string { return any; }
export const passed = new Map<string, number>().get(any);
`;

it('finds each kind of conversion, and none of a value of a known type', { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-conversions-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'sample.ts'), sample);
  const compilerOptions = { target: 'es2023', lib: ['es2023', 'dom'], types: [], strict: true, noEmit: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['sample.ts'] }));
  expect(await findConversions(folder, ['.'])).toMatchInlineSnapshot(`
    [
      "sample.ts: text of unknown: String(sent)",
      "sample.ts: text of unknown: sent",
      "sample.ts: text of {}: String({})",
      "sample.ts: text of string[][]: lists.join()",
      "sample.ts: text of string[][]: String(lists)",
      "sample.ts: text of string[][]: lists",
      "sample.ts: text of any: any.toString()",
      "sample.ts: text of any: any.map(String)",
      "sample.ts: number of string[][]: lists.map(Number)",
      "sample.ts: text of any: 'a' + any",
      "sample.ts: number of unknown: Number(sent)",
      "sample.ts: number of any: BigInt(any)",
      "sample.ts: number of any: -any",
      "sample.ts: key of any: [any]",
      "sample.ts: key of any: texts[any]",
      "sample.ts: shape of unknown: sent as string",
      "sample.ts: shape of any: parsed: { id: string } = JSON.parse('{}')",
      "sample.ts: shape of any: return any;",
      "sample.ts: shape of any: any",
    ]
  `);
});
