import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/plan/arguments.ts';

const unset = {
  ...{ variables: {}, operationName: undefined, maxCalls: undefined, isJson: false },
  ...{ isMarkdown: false, against: undefined, maxIncrease: undefined },
};

it.each<[string, object]>([
  [
    'plan a.graphql --operation A b.json --variables={"id":"SITE-1"} --max-calls 7 --json',
    {
      ...{ ...unset, files: ['a.graphql', 'b.json'], variables: { id: 'SITE-1' } },
      ...{ operationName: 'A', maxCalls: 7, isJson: true },
    },
  ],
  [
    'plan src --against origin/main --max-increase 0 --markdown',
    { ...unset, files: ['src'], against: 'origin/main', maxIncrease: 0, isMarkdown: true },
  ],
  [
    'plan a.graphql --viewers 200 --every 5s --latency 90ms --limit 1000/10s --markdown',
    {
      ...{ ...unset, files: ['a.graphql'], isMarkdown: true },
      viewing: { viewers: '200', everyMs: 5_000, latencyMs: 90, limitPerMinute: 6_000 },
    },
  ],
  [
    'plan a.graphql --viewers viewers.txt',
    {
      ...{ ...unset, files: ['a.graphql'] },
      viewing: { viewers: 'viewers.txt', everyMs: undefined, latencyMs: 200, limitPerMinute: undefined },
    },
  ],
  ['plan a.graphql', { ...unset, files: ['a.graphql'] }],
])('reads `portico %s`', (line, expected) => {
  const request = invocationFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['plan', 'plan requires a file'],
  ['plan a --variables [1]', '--variables requires a JSON object'],
  ['plan a --operation', "Option '--operation <value>' argument missing"],
  ['plan a --against=', '--against requires a file'],
  ['plan a --against b --max-increase 1.5', '--max-increase requires a whole number'],
  [
    'plan a --json --markdown --max-increase 5',
    '--json and --markdown exclude each other',
    '--max-increase requires --against',
    '--markdown requires --against or --viewers',
  ],
  ['plan a --viewers 0 --every 5s', '--viewers requires a whole number from 1, or a file'],
  ['plan a --viewers 1.5 --every 5s', '--viewers requires a whole number from 1, or a file'],
  ['plan a --viewers 2', '--viewers requires --every'],
  [
    'plan a --viewers 2 --every 5 --latency 0ms',
    '--every requires a time with its unit, such as 5s, 500ms or 1m',
    '--latency requires a time with its unit, such as 5s, 500ms or 1m',
  ],
  ['plan a --viewers 2 --every 5s --limit 6000', '--limit requires calls and their time, such as 6000/60s'],
  ['plan a --viewers 2 --every 5s --limit 0/60s', '--limit requires calls and their time, such as 6000/60s'],
  ['plan a --viewers b --every 5s', '--every is not for a file of --viewers, which has the intervals'],
  ['plan a --viewers b --against c', '--viewers and --against exclude each other'],
  [
    'plan a --every 5s --latency 1s --limit 1/1s',
    '--every requires --viewers',
    '--latency requires --viewers',
    '--limit requires --viewers',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
