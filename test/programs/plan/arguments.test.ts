import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/plan/arguments.ts';
import { noArguments } from './plan-in.ts';

const viewing = { viewers: 200, everyMs: 5_000, latencyMs: 90, limitPerMinute: 6_000 };

it.each<[string, object]>([
  [
    'plan a.graphql --operation A b.json --variables={"id":"SITE-1"} --max-calls 7 --json',
    {
      ...{ files: ['a.graphql', 'b.json'], variables: { id: 'SITE-1' } },
      ...{ operationName: 'A', maxCalls: 7, isJson: true },
    },
  ],
  ['plan src --against b.json --max-increase 0', { files: ['src'], against: 'b.json', maxIncrease: 0 }],
  ['plan a --viewers 200 --every 5s --latency 90ms --limit 1000/10s', { files: ['a'], viewing }],
  [
    'plan a --viewers 200 --every 1m',
    { files: ['a'], viewing: { ...viewing, everyMs: 60_000, latencyMs: 200, limitPerMinute: undefined } },
  ],
])('reads `portico %s`', (line, expected) => {
  const request = invocationFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual({ ...noArguments, ...expected });
});

const time = 'requires a time with its unit, such as 5s, 500ms or 1m';

it.each<[string, ...string[]]>([
  ['plan', 'plan requires a file'],
  ['plan a --variables [1]', '--variables requires a JSON object'],
  ['plan a --operation', "Option '--operation <value>' argument missing"],
  ['plan a --against=', '--against requires a file'],
  [
    'plan a --max-increase 1.5',
    '--max-increase requires a whole number',
    '--max-increase requires --against',
  ],
  ['plan a --viewers 0 --every 5s', '--viewers requires a whole number from 1'],
  ['plan a --viewers 2', '--viewers requires --every'],
  ['plan a --viewers 2 --every 5 --latency 0ms', `--every ${time}`, `--latency ${time}`],
  ['plan a --viewers 2 --every 5s --limit 0/60s', '--limit requires calls and their time, such as 6000/60s'],
  ['plan a --viewers 2 --every 5s --against c', '--viewers and --against exclude each other'],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
