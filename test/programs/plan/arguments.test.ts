import { expect, it } from 'vitest';
import { requestFrom } from '../../../src/command/arguments.ts';
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
  ['plan a.graphql', { ...unset, files: ['a.graphql'] }],
])('reads `portico %s`', (line, expected) => {
  const request = requestFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['plan', 'plan requires a file'],
  ['plan a --variables [1]', '--variables requires a JSON object'],
  ['plan a --variables', '--variables requires a JSON object'],
  ['plan a --max-calls -1', '--max-calls requires a whole number'],
  ['plan a --operation', '--operation requires the name of an operation'],
  ['plan a --against=--output=x', '--against requires a commit or a file'],
  ['plan a --against b --max-increase 1.5', '--max-increase requires a whole number'],
  [
    'plan a --json --markdown --max-increase 5',
    '--json and --markdown exclude each other',
    '--max-increase requires --against',
    '--markdown requires --against',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(requestFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
