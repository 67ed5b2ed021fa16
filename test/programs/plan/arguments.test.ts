import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/plan/arguments.ts';
import { noArguments } from './plan-in.ts';

it.each<[string, object]>([
  [
    'plan a.graphql --operation A b.json --variables={"id":"SITE-1"} --max-calls 7 --json',
    {
      ...{ files: ['a.graphql', 'b.json'], variables: { id: 'SITE-1' } },
      ...{ operationName: 'A', maxCalls: 7, isJson: true },
    },
  ],
  ['plan src --against b.json --max-increase 0', { files: ['src'], against: 'b.json', maxIncrease: 0 }],
])('reads `portico %s`', (line, expected) => {
  const request = invocationFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual({ ...noArguments, ...expected });
});

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
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
