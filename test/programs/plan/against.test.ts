import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cost } from '../../../src/features/explain/cost.ts';
import { differenceOf } from '../../../src/programs/plan/difference.ts';
import { markdownTable } from '../../../src/programs/plan/markdown.ts';
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
  const limited = (...more: string[]) => planAgainst(older, newer, '--max-increase', ...more);
  expect(await limited('24')).toMatchObject({ code: 0, stderr: '' });
  const message =
    'page.ts:1:20: Page makes up to 24 REST calls more than in the base; at most 23 are allowed.';
  expect(await limited('23')).toEqual({ code: 1, stdout: table, stderr: `${message}\n` });
  const markdown = await limited('23', '--markdown', '--max-calls=49');
  expect(markdown.code).toBe(1);
  expect(markdown.stdout).toContain(
    '\n| dearer | Page | 1 + sites | 1 + 2 × sites | +24 |\n| new | New |  | 50 | +50 |\n',
  );
  expect(
    markdown.stdout.match(/^\| <code>.*(24 REST calls more|makes 50 REST calls|up to 50)/gm),
  ).toHaveLength(3);
});

it('takes no operation for gone that has a fault, and one with a fault in the base for new', async () => {
  const { code, stdout } = await planAgainst(
    { 'a.graphql': `${site('A', 'city')} ${site('B', 'town')}` },
    { 'a.graphql': `${site('A', 'town')} ${site('B', 'city')}` },
  );
  expect(code).toBe(1);
  expect(stdout.split('\n').slice(1)).toEqual([
    'new     B                  1      +1',
    '',
    'Operations with a fault in the base count as new.',
    '',
  ]);
});

it.each([
  ['no file', undefined, 'the file cannot be read: ENOENT'],
  ['a document', '{ __typename }', 'the file is no output of portico plan --json'],
  [
    'JSON of another kind',
    '{ "operations": [{ "name": "A|B" }], "faults": [] }',
    'the file is no output of portico plan --json',
  ],
])('exits with 2 for %s', async (_, base, message) => {
  const folder = await writeFiles({ 'a.graphql': site('A', 'city'), ...(base && { 'base.json': base }) });
  expect(await runCommand(['plan', 'a.graphql', '--against', 'base.json'], { cwd: folder })).toEqual({
    code: 2,
    stdout: '',
    stderr: `--against: ${message}\n`,
  });
});

const planned = (cost: Cost, more: object = {}) => ({
  operations: [{ name: 'A', file: 'a', line: 1, column: 1, calls: [], cost, ...more }],
  faults: [],
});

it('counts the calls that are added for the lists of any length', () => {
  const lists = ['a.sites', 'b.visits'];
  const cost = fc.record({
    known: fc.nat(4),
    forEach: fc
      .tuple(fc.nat(4), fc.nat(4))
      .map((each) => lists.flatMap((list, n) => (each[n] ? [{ list, calls: each[n] }] : []))),
    limit: fc.constant(9),
  });
  const callsFor = ({ known, forEach, limit }: Cost, lengths: number[]) => {
    const all = forEach.reduce(
      (sum, { list, calls }) => sum + calls * (lengths[lists.indexOf(list)] ?? 0),
      known,
    );
    return Math.max(known, Math.min(all, limit));
  };
  const lengths = Array.from({ length: 11 * 11 }, (_, n) => [n % 11, Math.floor(n / 11)]);
  const mostMore = (before: Cost, after: Cost) =>
    Math.max(...lengths.map((each) => callsFor(after, each) - callsFor(before, each)));
  fc.assert(
    fc.property(cost, cost, (before, after) => {
      // A list in the place of another one counts as the same one with an alias.
      const names = new Set([...before.forEach, ...after.forEach].map(({ list }) => list));
      fc.pre([before, after].some(({ forEach }) => forEach.length === names.size));
      const [change] = differenceOf(planned(before), planned(after));
      const more = mostMore(before, after);
      if (!change) expect(before).toEqual(after);
      else if (change.kind === 'dearer') expect(change.calls).toBe(more);
      else expect([more <= 0, change.calls]).toEqual([true, 0 - mostMore(after, before)]);
    }),
    { numRuns: 500 },
  );
});

it.each<[string, Cost['forEach'], Cost['forEach'], string[]]>([
  ['an alias above a list', [{ list: 'a.sites', calls: 1 }], [{ list: 'b.sites', calls: 1 }], []],
  ['an alias of a list', [{ list: 'a.sites', calls: 1 }], [{ list: 'a.all', calls: 1 }], []],
  [
    'aliases of two lists',
    ['a.sites', 'b.sites'].map((list, n) => ({ list, calls: n + 1 })),
    ['a.all', 'b.all'].map((list, n) => ({ list, calls: 2 - n })),
    [],
  ],
  ['an alias of a dearer list', [{ list: 'a.sites', calls: 1 }], [{ list: 'a.all', calls: 2 }], ['dearer']],
  [
    'an alias and a second list',
    [{ list: 'a.sites', calls: 1 }],
    ['a.all', 'b.any'].map((list) => ({ list, calls: 1 })),
    ['dearer'],
  ],
  [
    'one of two lists of a name',
    [{ list: 'a.sites', calls: 1 }],
    ['a.sites', 'b.sites'].map((list) => ({ list, calls: 1 })),
    ['dearer'],
  ],
])('compares lists by the names that the formulas have: %s', (_, before, after, kinds) => {
  const cost = { known: 1, limit: 50 };
  const changes = differenceOf(planned({ ...cost, forEach: before }), planned({ ...cost, forEach: after }));
  expect(changes.map(({ kind }) => kind)).toEqual(kinds);
});

it('compares the rounds of live queries, and how often these are', () => {
  const cost = { known: 2, forEach: [], limit: 50 };
  const every = (everySeconds: number) => planned(cost, { live: { everySeconds } });
  expect(differenceOf(every(10), every(5))).toMatchObject([
    { kind: 'dearer', before: '2 every 10 s', after: '2 every 5 s', calls: 0 },
  ]);
  expect(differenceOf(every(5), every(10))).toMatchObject([{ kind: 'cheaper' }]);
  expect(differenceOf(planned(cost), every(10))).toMatchObject([{ kind: 'dearer', before: '2' }]);
});

it('compares those of one name in a manifest in their order, after those that are equal', () => {
  const cost = (known: number) => ({ known, forEach: [], limit: 50 });
  const all = (...known: number[]) => ({
    operations: known.flatMap((n) => planned(cost(n)).operations),
    faults: [],
  });
  expect(differenceOf(all(1, 2), all(3, 2, 1))).toMatchObject([{ kind: 'new', after: '3' }]);
  expect(differenceOf(all(1, 2, 3), all(3, 5))).toMatchObject([
    { kind: 'dearer', before: '1', after: '5', calls: 4 },
    { kind: 'gone', before: '2' },
  ]);
});

it('writes texts into Markdown that are shown as they are, and at most as many as a comment holds', () => {
  const hostile = 'a|b`@team <img>\n#1_*[x](http://x)‮.ts';
  const [, , row = ''] = markdownTable(['a', 'b'], [[hostile, '1 + 2 × sites']]);
  expect(row).toMatch(/^\| <code>[\p{L}\p{N} &#;]+<\/code> \| 1 \+ 2 × sites \|$/u);
  const shown = row.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
  expect(shown).toContain('<code>a|b`@team <img> #1_*[x](http://x) .ts</code>');
  const long = markdownTable(
    ['a'],
    Array.from({ length: 3000 }, () => ['0123456789']),
  );
  expect(long.join('\n').length).toBeLessThan(30_100);
  expect(long.at(-1)).toMatch(/^\d+ more are left out\.$/);
});
