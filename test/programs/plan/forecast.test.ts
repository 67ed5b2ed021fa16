import { expect, it } from 'vitest';
import { runCommand } from '../../support/command.ts';
import { type PlanGiven, planIn, writeFiles } from './plan-in.ts';

const texts = {
  Named: 'query Named { sites(ids: ["SITE-1", "SITE-2"]) { city } }',
  Data: 'query Data($id: ID!) { conversationContext(id: $id) { sites { site { city ... @defer { projects { name } } } } } }',
  Unpolled: 'query Unpolled { health { reachable } }',
  Live: 'subscription Live { live(every: 30) { site(id: "SITE-1") { city } } }',
};

type Viewing = NonNullable<PlanGiven['viewing']>;

const asked: Viewing = { viewers: '21', everyMs: 10_000, latencyMs: 500, limitPerMinute: undefined };

async function forecastOf(
  names: (keyof typeof texts)[],
  viewing: Partial<Viewing> = {},
  more: Partial<PlanGiven> = {},
) {
  const folder = await writeFiles({ 'a.graphql': names.map((name) => texts[name]).join('\n') });
  return planIn(folder, ['a.graphql'], { ...more, viewing: { ...asked, ...viewing } });
}

async function viewedBy(file: string, more: Partial<PlanGiven> = {}) {
  const folder = await writeFiles({ 'a.graphql': Object.values(texts).join('\n'), viewers: file });
  const viewing = { ...asked, viewers: `${folder}/viewers`, everyMs: undefined };
  return planIn(folder, ['a.graphql'], { ...more, viewing });
}

const cellsOf = (line = '') => line.split(/ {2,}/);

it('forecasts the calls of viewers alone, through the gateway, and live', async () => {
  const { lines, faults } = await forecastOf(['Named']);
  expect(faults).toEqual([]);
  // 21 viewers ask 126 times a minute, and one of the 20 others joins each call.
  expect(cellsOf(lines[1])).toEqual(['Named', '2', '10 s', '21', '252', '126', '12']);
  expect(cellsOf(lines[2])).toEqual(['all', '252', '126', '12']);
});

it('names the most where the data decide, and counts it', async () => {
  const { lines, faults } = await forecastOf(['Data', 'Named'], { limitPerMinute: 1000 });
  // A live query defers nothing: its sites cost one call each. Its polls may be 60 a minute, which leaves 55 in the long run.
  expect(cellsOf(lines[1])).toEqual([
    ...['Data', '1 + 2 × sites', '10 s', '21'],
    ...['126, at most 6300', '63, at most 3150 (315 %)', '6, at most 55 (6 %)'],
  ]);
  expect(cellsOf(lines[3])).toEqual([
    ...['all', '378, at most 6552', '189, at most 3276 (328 %)', '18, at most 55 (6 %)'],
  ]);
  expect(faults).toHaveLength(1);
});

it('leaves empty what cannot be live, and counts what is live in the documents as such', async () => {
  const { lines } = await forecastOf(['Unpolled', 'Live']);
  expect(lines.slice(1).map(cellsOf)).toEqual([
    ['Unpolled', '1', '10 s', '21', '126', '63'],
    ['Live', '1', '30 s', '21', '42', '2', '2'],
    ['all', '168', '65', '2'],
  ]);
});

it('names the operations without which the others are within the limit', async () => {
  const excess = (atMost: number, limit: number, names: string) => [
    `all operations make up to ${atMost} REST calls a minute; at most ${limit} are allowed. These do not fit: ${names}. Poll them less often, or make them live.`,
  ];
  const all = ['Live', 'Unpolled', 'Named'] as const;
  expect((await forecastOf([...all], { limitPerMinute: 191 })).faults).toEqual([]);
  expect((await forecastOf([...all], { limitPerMinute: 190 })).faults).toEqual(excess(191, 190, 'Named'));
  expect((await forecastOf([...all], { limitPerMinute: 64 })).faults).toEqual(
    excess(191, 64, 'Named, Unpolled'),
  );
});

it('prints one object, or a table for a comment with its faults', async () => {
  const { lines } = await forecastOf(['Named'], { limitPerMinute: 100 }, { isJson: true });
  const calls = (count: number) => ({ known: count, atMost: count });
  const columns = { alone: calls(252), gateway: calls(126), live: calls(12) };
  expect(JSON.parse(lines.join('\n')).forecast).toEqual({
    ...{ latencyMs: 500, limitPerMinute: 100, total: columns },
    operations: [
      expect.objectContaining({ name: 'Named', formula: '2', viewers: 21, everyMs: 10_000, ...columns }),
    ],
  });
  const table = await forecastOf(['Named'], { limitPerMinute: 100 }, { isMarkdown: true });
  expect(table.lines).toEqual([
    '| operation | formula | every | viewers | alone | gateway | live |',
    '|---|---|---|---|---|---|---|',
    expect.stringMatching(/^\| Named \| 2 \| 10 s \| 21 \| 252 \| .*126.* \|$/),
    expect.stringMatching(/^\| all \|/),
    '',
    '| fault |',
    '|---|',
    expect.stringContaining('Named'),
  ]);
});

it('reads the viewers of a file, and leaves the other operations out', async () => {
  const file = '# the wall\nNamed 10s 21\n\nUnpolled 1m 3 # the office\r\n';
  const { lines } = await viewedBy(file);
  expect(lines.slice(1, -1).map(cellsOf)).toEqual([
    ['Named', '2', '10 s', '21', '252', '126', '12'],
    ['Unpolled', '1', '60 s', '3', '3', '3'],
  ]);
});

const shape = 'needs an operation, an interval and a number of viewers: Dashboard 5s 200';

it.each([
  ['Named 10s 21\nOther 5s 1', 'there is no operation Other'],
  ['Named 5s 0', `line 1 ${shape}`],
  ['\nNamed 5 1', `line 2 ${shape}`],
  ['Named 0s 1', `line 1 ${shape}`],
  ['Named 5s 1 1', `line 1 ${shape}`],
  ['a-key-of-someone', `line 1 ${shape}`],
  ['Named 5s 1\nNamed 10s 1', 'line 2 repeats Named: name each operation once'],
])('rejects the viewers %j', async (file, fault) => {
  expect(await viewedBy(file)).toEqual({ lines: [], faults: [`--viewers: ${fault}`] });
});

it('accepts viewers of operations that are not planned', async () => {
  const { lines } = await viewedBy('Named 10s 21\nLive 1m 1', { operationName: 'Named' });
  expect(lines).toHaveLength(3);
});

it('forecasts nothing live if the gateway has no live queries, and exits with 2 for a fault of the file', async () => {
  const folder = await writeFiles({ 'a.graphql': texts.Named, viewers: 'Other 5s 1' });
  const run = (...args: string[]) =>
    runCommand(['plan', `${folder}/a.graphql`, ...args], { env: { LIVE: 'off' } });
  const within = await run('--viewers', '21', '--every', '10s', '--latency', '500ms', '--limit', '126/1m');
  expect(within).toMatchObject({ code: 0, stderr: '' });
  expect(cellsOf(within.stdout.split('\n')[1])).toEqual(['Named', '2', '10 s', '21', '252', '126 (100 %)']);
  expect(await run('--viewers', '21', '--every', '10s', '--limit', '125/60s')).toMatchObject({ code: 1 });
  expect(await run('--viewers', `${folder}/viewers`)).toMatchObject({ code: 2 });
});
