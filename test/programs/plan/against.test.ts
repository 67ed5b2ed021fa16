import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cost } from '../../../src/features/explain/cost.ts';
import { differenceOf } from '../../../src/programs/plan/difference.ts';
import { runCommand } from '../../support/command.ts';
import { writeFiles } from './plan-in.ts';

const site = (name: string, fields: string) => `query ${name}($id: ID!) { site(id: $id) { ${fields} } }`;
const conversation = (name: string, fields: string) =>
  `query ${name}($id: ID!) { conversationContext(id: $id) { sites { ${fields} } } }`;
const deferred = 'city ... @defer { clients { id } }';

const older = {
  'page.ts': `const a = graphql(\`${conversation('Page', 'site { ...Card }')}\`);`,
  'card.graphql': 'fragment Card on Site { city }',
  'same.graphql': `${site('Same', 'city')} { health { reachable } }`,
  'old.graphql': site('Old', 'city'),
  'lower.gql': site('Lower', deferred),
};
const newer = {
  'page.ts': older['page.ts'],
  'card.graphql': `fragment Card on Site { ${deferred} }`,
  'moved.graphql': `# moved\n{ health { reachable } }\n${site('Same', 'zip')}`,
  'new.graphql': 'query New($ids: [ID!]!) { sites(ids: $ids) { id } }',
  'lower.gql': site('Lower', 'city clients { id }'),
};

/** Plans files against others, whose output is `base.json` in the folder. */
async function planAgainst(before: Record<string, string>, after: Record<string, string>, ...more: string[]) {
  const base = await runCommand(['plan', '.', '--json'], { cwd: await writeFiles(before) });
  const folder = await writeFiles({ ...after, 'base.json': base.stdout });
  return runCommand(['plan', '.', '--against', 'base.json', ...more], { cwd: folder });
}

const table = [
  'change   operation  before     after          calls',
  'dearer   Page       1 + sites  1 + 2 × sites  +24',
  'new      New                   50             +50',
  'cheaper  Lower      2          1              -1',
  'gone     Old        1                         -1',
  '',
].join('\n');

it('lists each operation that differs from an older output', async () => {
  expect(await planAgainst(older, newer)).toEqual({ code: 0, stdout: table, stderr: '' });
  const none = 'No operation makes more or fewer REST calls than in the base.\n';
  expect(await planAgainst(older, older)).toEqual({ code: 0, stdout: none, stderr: '' });
  const { stdout } = await planAgainst(older, newer, '--json', '--operation', 'Page');
  const [before, after] = ['1 + sites', '1 + 2 × sites'];
  expect(JSON.parse(stdout).changes).toEqual([
    { kind: 'dearer', name: 'Page', file: 'page.ts', line: 1, column: 20, before, after, calls: 24 },
  ]);
});

it('exits with 1 for an operation over --max-increase, but not for a new one', async () => {
  const limited = (max: string) => planAgainst(older, newer, '--max-increase', max);
  expect(await limited('24')).toMatchObject({ code: 0, stderr: '' });
  const message =
    'page.ts:1:20: Page makes up to 24 REST calls more than in the base; at most 23 are allowed.';
  expect(await limited('23')).toEqual({ code: 1, stdout: table, stderr: `${message}\n` });
});

it('takes no operation for gone that has a fault, and one with a fault in the base for new', async () => {
  const { code, stdout } = await planAgainst(
    { 'a.graphql': `${site('A', 'city')} ${site('B', 'town')}` },
    { 'a.graphql': `${site('A', 'town')} ${site('B', 'city')}` },
  );
  expect(code).toBe(1);
  expect(stdout.split('\n').slice(1)).toEqual(['new     B                  1      +1', '']);
});

const noOutput = 'the file is no output of portico plan --json';

it.each([
  ['no file', undefined, 'the file cannot be read: ENOENT'],
  ['a document', '{ __typename }', noOutput],
  ['JSON of another kind', '{ "operations": [{ "name": "A|B" }], "faults": [] }', noOutput],
])('exits with 1 for %s', async (_, base, message) => {
  const folder = await writeFiles({ 'a.graphql': site('A', 'city'), ...(base && { 'base.json': base }) });
  expect(await runCommand(['plan', 'a.graphql', '--against', 'base.json'], { cwd: folder })).toEqual({
    code: 1,
    stdout: '',
    stderr: `--against: ${message}\n`,
  });
});

const planned = (cost: Cost, more: object = {}) => [
  { name: 'A', file: 'a', line: 1, column: 1, calls: [], cost, ...more },
];

it('counts the calls that are added for a list of any length', () => {
  const cost = fc.record({
    known: fc.nat(4),
    forEach: fc.nat(4).map((calls) => (calls > 0 ? [{ list: 'sites', calls }] : [])),
    limit: fc.constant(9),
  });
  const callsFor = ({ known, forEach, limit }: Cost, length: number) =>
    Math.max(known, Math.min(known + length * (forEach[0]?.calls ?? 0), limit));
  const mostMore = (before: Cost, after: Cost) =>
    Math.max(...Array.from({ length: 11 }, (_, n) => callsFor(after, n) - callsFor(before, n)));
  fc.assert(
    fc.property(cost, cost, (before, after) => {
      const [change] = differenceOf(planned(before), planned(after));
      const more = mostMore(before, after);
      if (!change) expect(before).toEqual(after);
      else if (change.kind === 'dearer') expect(change.calls).toBe(more);
      else
        expect([change.kind, more > 0, change.calls]).toEqual(['cheaper', false, -mostMore(after, before)]);
    }),
  );
});

const lists = (...all: [string, number][]) => ({
  ...{ known: 1, limit: 50, forEach: all.map(([list, calls]) => ({ list, calls })) },
});

it.each([
  ['an alias of a list', lists(['a.sites', 1]), lists(['a.all', 1]), []],
  ['aliases of two lists', lists(['a.b', 1], ['c.d', 2]), lists(['x', 2], ['y', 1]), []],
])('pairs lists by what they cost: %s', (_, before, after, kinds) => {
  expect(differenceOf(planned(before), planned(after)).map(({ kind }) => kind)).toEqual(kinds);
});

it('compares the rounds of live queries, and how often these are', () => {
  const every = (everySeconds: number) => planned(lists(), { live: { everySeconds } });
  expect(differenceOf(every(10), every(5))).toMatchObject([
    { kind: 'dearer', before: '1 every 10 s', after: '1 every 5 s', calls: 0 },
  ]);
  expect(differenceOf(every(5), every(10))).toMatchObject([{ kind: 'cheaper' }]);
  expect(differenceOf(planned(lists()), every(10))).toMatchObject([{ kind: 'dearer', before: '1' }]);
});

it('compares the dearest of one name, of which a manifest keeps older ones', () => {
  const all = (...known: number[]) => known.flatMap((n) => planned({ ...lists(), known: n }));
  expect(differenceOf(all(1, 2), all(2, 1))).toEqual([]);
  expect(differenceOf(all(1, 2), all(1, 5, 2))).toMatchObject([{ kind: 'dearer', after: '5', calls: 3 }]);
});
