import { expect, it } from 'vitest';
import { runCommand } from '../../support/command.ts';
import { type PlanGiven, planIn, writeFiles } from './plan-in.ts';

const texts = {
  Named: 'query Named { sites(ids: ["SITE-1", "SITE-2"]) { city } }',
  Data: 'query Data($id: ID!) { conversationContext(id: $id) { sites { site { city ... @defer { projects { name } } } } } }',
  Unpolled: 'query Unpolled { health { reachable } }',
  Live: 'subscription Live { live(every: 30) { site(id: "SITE-1") { city } } }',
};

async function forecastOf(
  names: (keyof typeof texts)[],
  limitPerMinute?: number,
  more: Partial<PlanGiven> = {},
) {
  const folder = await writeFiles({ 'a.graphql': names.map((name) => texts[name]).join('\n') });
  const viewing = { viewers: 21, everyMs: 10_000, latencyMs: 500, limitPerMinute };
  return planIn(folder, ['a.graphql'], { ...more, viewing });
}

const cellsOf = (line = '') => line.split(/ {2,}/);

it('forecasts the calls of viewers alone, through the gateway, and live', async () => {
  const { lines, faults } = await forecastOf(['Named', 'Unpolled', 'Live']);
  expect(faults).toEqual([]);
  expect(lines.slice(1).map(cellsOf)).toEqual([
    // 21 viewers ask 126 times a minute, and one of the 20 others joins each call.
    ['Named', '2', '10 s', '21', '252', '126', '12'],
    ['Unpolled', '1', '10 s', '21', '126', '63'],
    ['Live', '1', '30 s', '21', '42', '2', '2'],
    ['all', '420', '191', '14'],
  ]);
});

it('names the most if the data decide, and fails if that is over the limit', async () => {
  const { lines, faults } = await forecastOf(['Data', 'Named'], 1000);
  // A live query defers nothing: its sites cost one call each, and its polls may be 60 a minute.
  expect(cellsOf(lines[1])).toEqual([
    ...['Data', '1 + 2 × sites', '10 s', '21'],
    ...['126, at most 6300', '63, at most 3150 (315 %)', '6, at most 60 (6 %)'],
  ]);
  expect(cellsOf(lines[3])).toEqual([
    ...['all', '378, at most 6552', '189, at most 3276 (328 %)', '18, at most 60 (6 %)'],
  ]);
  expect(faults).toEqual([
    'all operations make up to 3276 REST calls a minute; at most 1000 are allowed. Poll some of them less often, or make them live.',
  ]);
});

it('prints one object', async () => {
  const { lines } = await forecastOf(['Named'], 100, { isJson: true });
  const calls = (count: number) => ({ known: count, atMost: count });
  const columns = { alone: calls(252), gateway: calls(126), live: calls(12) };
  expect(JSON.parse(lines.join('\n')).forecast).toEqual({
    ...{ latencyMs: 500, limitPerMinute: 100, total: columns },
    operations: [
      expect.objectContaining({ name: 'Named', formula: '2', viewers: 21, everyMs: 10_000, ...columns }),
    ],
  });
});

it('forecasts nothing live if the gateway has no live queries, and exits with 1 over the limit', async () => {
  const folder = await writeFiles({ 'a.graphql': texts.Named });
  const viewing = ['--viewers', '21', '--every', '10s', '--latency', '500ms'];
  const run = (limit: string) =>
    runCommand(['plan', `${folder}/a.graphql`, ...viewing, '--limit', limit], { env: { LIVE: 'off' } });
  const within = await run('126/1m');
  expect(within).toMatchObject({ code: 0, stderr: '' });
  expect(cellsOf(within.stdout.split('\n')[1])).toEqual(['Named', '2', '10 s', '21', '252', '126 (100 %)']);
  expect(await run('125/60s')).toMatchObject({ code: 1 });
});
