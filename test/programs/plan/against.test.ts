import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tableFrom } from '../../../src/command/table.ts';
import type { Cost } from '../../../src/features/explain/cost.ts';
import { differenceOf } from '../../../src/programs/plan/difference.ts';
import { markdownTable } from '../../../src/programs/plan/markdown.ts';
import { runCommand } from '../../support/command.ts';
import { makeFolder } from '../../support/manifest.ts';
import { makeRepository } from '../../support/repository.ts';

const runIn = (cwd: string, args: string[], env: Record<string, string> = {}) =>
  runCommand(args, { cwd, env });

const site = (name: string, fields: string) => `query ${name}($id: ID!) { site(id: $id) { ${fields} } }`;
const conversation = (name: string, fields: string) =>
  `query ${name}($id: ID!) { conversationContext(id: $id) { sites { ${fields} } } }`;
const deferred = 'city ... @defer { clients { id } }';

/** The operations of an application, in two commits. */
async function makeTwoCommits() {
  const repository = await makeRepository();
  await repository.commit({
    'app/src/page.tsx': `const a = graphql(\`${conversation('Page', 'site { ...Card }')}\`);`,
    'app/src/card.ts': 'const b = gql`fragment Card on Site { city }`;',
    'app/src/same.graphql': `${site('Same', 'city')} { health { reachable } }`,
    'app/src/old.graphql': site('Old', 'city'),
    'app/src/generated/copy.graphql': site('Old', 'city'),
    'lib/deep/é "1".gql': site('Lower', deferred),
    'lib/wrong.json': 'no JSON',
  });
  await repository.commit({
    'app/src/card.ts': `const b = gql\`fragment Card on Site { ${deferred} }\`;`,
    'app/src/same.graphql': null,
    'app/src/moved.graphql': `# moved\n{ health { reachable } }\n${site('Same', 'zip')}`,
    'app/src/old.graphql': null,
    'app/src/new.graphql': 'query New($ids: [ID!]!) { sites(ids: $ids) { id } }',
    'lib/deep/é "1".gql': site('Lower', 'city clients { id }'),
  });
  return repository;
}

const files = ['src', '../lib/**/*.{gql,graphql}', '!src/generated'];
const table = [
  'change   operation  before     after          calls',
  'dearer   Page       1 + sites  1 + 2 × sites  +24',
  'new      New                   50             +50',
  'cheaper  Lower      2          1              -1',
  'gone     Old        1                         -1',
  '',
].join('\n');

it('lists each operation that differs from a commit, read from a subfolder, and leaves nothing behind', async () => {
  const { folder, git } = await makeTwoCommits();
  const state = async () => [
    await git('status', '--porcelain=2'),
    await git('worktree', 'list'),
    await git('for-each-ref'),
  ];
  const [before, temporary] = [await state(), await makeFolder()];
  const args = ['plan', ...files, '--against', 'HEAD^'];
  const found = await runIn(join(folder, 'app'), args, { TMPDIR: temporary });
  expect(found).toEqual({ code: 0, stdout: table, stderr: '' });
  const absolute = [join(folder, 'app/src'), join(folder, 'lib/**/*.gql'), `!${folder}/app/src/generated`];
  const elsewhere = await runIn(join(folder, 'app/src'), ['plan', ...absolute, '--against=main~1']);
  expect(elsewhere.stdout).toBe(table);
  expect(await state()).toEqual(before);
  expect(await readdir(temporary)).toEqual([]);
  const none = 'No operation makes more or fewer REST calls than in the base.\n';
  expect(await runIn(join(folder, 'app'), ['plan', ...files, '--against', 'main'])).toMatchObject({
    stdout: none,
  });
});

it('compares with older documents, and with an older output, as with the commit that they are of', async () => {
  const { folder, git } = await makeTwoCommits();
  const cwd = join(folder, 'app');
  const jsonAgainst = async (base: string, ...more: string[]) =>
    JSON.parse((await runIn(cwd, ['plan', ...files, '--json', '--against', base, ...more])).stdout);
  const { operations, faults, changes } = await jsonAgainst('HEAD~');
  expect([operations.length, faults]).toEqual([5, []]);
  expect(changes).toEqual([
    {
      kind: 'dearer',
      name: 'Page',
      file: 'src/page.tsx',
      line: 1,
      column: 20,
      before: '1 + sites',
      after: '1 + 2 × sites',
      calls: 24,
    },
    {
      kind: 'new',
      name: 'New',
      file: 'src/new.graphql',
      line: 1,
      column: 1,
      before: null,
      after: '50',
      calls: 50,
    },
    {
      kind: 'cheaper',
      name: 'Lower',
      file: '../lib/deep/é "1".gql',
      line: 1,
      column: 1,
      before: '2',
      after: '1',
      calls: -1,
    },
    {
      kind: 'gone',
      name: 'Old',
      file: 'src/old.graphql',
      line: 1,
      column: 1,
      before: '1',
      after: null,
      calls: -1,
    },
  ]);
  await git('worktree', 'add', '--quiet', 'older', 'HEAD~');
  const older = await runIn(join(folder, 'older/app'), ['plan', ...files, '--json']);
  await writeFile(join(cwd, 'older.json'), older.stdout);
  expect((await jsonAgainst('older.json')).changes).toEqual(changes);
  expect((await jsonAgainst('older.json', '--operation', 'New')).changes).toEqual([changes[1]]);
  const inFolder = await jsonAgainst('../older/app/src', '--operation', 'Page');
  expect(inFolder.changes).toEqual([changes[0]]);
});

it('exits with 1 for an operation over --max-increase, but not for a new one', async () => {
  const { folder } = await makeTwoCommits();
  const limited = (...more: string[]) =>
    runIn(join(folder, 'app'), ['plan', ...files, '--against', 'HEAD~', ...more]);
  expect(await limited('--max-increase', '24')).toMatchObject({ code: 0, stderr: '' });
  const message =
    'src/page.tsx:1:20: Page makes up to 24 REST calls more than in the base; at most 23 are allowed.';
  expect(await limited('--max-increase', '23')).toEqual({ code: 1, stdout: table, stderr: `${message}\n` });
  const markdown = await limited('--max-increase', '23', '--markdown', '--max-calls=49');
  expect(markdown.code).toBe(1);
  expect(markdown.stdout).toContain(
    '\n| dearer | Page | 1 + sites | 1 + 2 × sites | +24 |\n| new | New |  | 50 | +50 |\n',
  );
  expect(
    markdown.stdout.match(/^\| <code>.*(24 REST calls more|makes 50 REST calls|up to 50)/gm),
  ).toHaveLength(3);
});

it('takes no operation for gone that has a fault, and one with a fault in the base for new', async () => {
  const { folder, commit } = await makeRepository();
  await commit({ 'a.graphql': `${site('A', 'city')} ${site('B', 'town')}` });
  await commit({ 'a.graphql': `${site('A', 'town')} ${site('B', 'city')}` });
  const { code, stdout } = await runIn(folder, ['plan', 'a.graphql', '--against', 'HEAD~']);
  expect(code).toBe(1);
  expect(stdout.split('\n').slice(1)).toEqual([
    'new     B                  1      +1',
    '',
    'Operations with a fault in the base count as new.',
    '',
  ]);
});

it('reads manifests of a commit, and follows no link in it', async () => {
  const { folder, commit } = await makeRepository();
  await symlink('/etc', join(folder, 'link.graphql'));
  const [one, two] = [site('One', 'city'), site('Two', 'city')];
  await commit({ 'a.graphql': site('A', 'city'), 'manifest.json': JSON.stringify({ one, two }) });
  await commit({ 'manifest.json': JSON.stringify({ two }) });
  const args = ['plan', '*.graphql', 'manifest.json', '--against', 'HEAD~'];
  const { code, stdout } = await runIn(folder, args);
  expect([code, ...stdout.split('\n').slice(1)]).toEqual([0, 'gone    One        1              -1', '']);
});

it.each<[string, string, string]>([
  [
    'a commit that is not there',
    'k3y-0000',
    'it names neither a file nor a commit that git has here; fetch the commit first',
  ],
  ['a range', 'HEAD..HEAD', 'it names neither a file nor a commit that git has here; fetch the commit first'],
  ['a folder', 'HEAD:src', 'it names neither a file nor a commit that git has here; fetch the commit first'],
  ['a file that is a branch too', 'main', 'it names a file and a commit; write ./FILE or refs/…'],
  ['a folder without documents', './main', 'the file has no operation: matches no file with documents'],
  ['a document that is commented out', 'empty.graphql', 'the file has no operation: it is empty'],
  [
    'JSON of another kind',
    'other.json',
    'the file has no operation: must hold an object of documents by their ids, or a manifest of the format "apollo-persisted-query-manifest" and version 1, and is {}',
  ],
])('exits with 2 for %s', async (_, against, message) => {
  const { folder, commit } = await makeRepository();
  await commit({
    'a.graphql': site('A', 'city'),
    'empty.graphql': '# query A { a }',
    'other.json': '{ "operations": [{ "name": "A|B" }], "faults": [] }',
  });
  await mkdir(join(folder, 'main'));
  const { code, stdout, stderr } = await runIn(folder, ['plan', 'a.graphql', '--against', against]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `--against: ${message}\n` });
});

it('exits with 2, and what git says, where there is no repository', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'a.graphql'), site('A', 'city'));
  const { code, stderr } = await runIn(folder, ['plan', 'a.graphql', '--against', 'HEAD']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^--against: git fails: not a git repository.*\n$/);
  const without = await runIn(folder, ['plan', 'a.graphql', '--against', 'HEAD'], { PATH: folder });
  expect(without).toMatchObject({ code: 2, stderr: '--against: git is not installed\n' });
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

it('compares with a base of 130,000 operations, of one name or of many, and lists', () => {
  // More than a function takes as arguments.
  const count = 130_000;
  const cost = (known: number, lists = 0) => ({
    known,
    forEach: Array.from({ length: lists }, (_, n) => ({ list: `a.l${n}`, calls: 1 })),
    limit: 50,
  });
  const all = (nameFor: (n: number) => string) => ({
    operations: Array.from({ length: count }, (_, n) => ({
      ...{ name: nameFor(n), file: 'a', line: 1, column: 1, calls: [], cost: cost(n) },
    })),
    faults: [],
  });
  const none = { operations: [], faults: [] };
  const ofOne = all(() => 'A');
  expect(differenceOf(ofOne, ofOne)).toEqual([]);
  expect(differenceOf(ofOne, planned(cost(count)))).toHaveLength(count);
  const changes = differenceOf(
    all((n) => `Q${n}`),
    none,
  );
  expect(
    tableFrom(
      ['name'],
      changes.map(({ name }) => [name ?? '']),
    ),
  ).toHaveLength(count + 1);
  expect(differenceOf(planned(cost(1, count)), none)).toMatchObject([{ kind: 'gone', calls: -50 }]);
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
