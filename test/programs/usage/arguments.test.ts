import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/usage/arguments.ts';

it.each<[string, object]>([
  [
    'usage a.log - a.log --field Site.city --by key --json',
    { logs: ['a.log', '-'], field: 'Site.city', by: 'key', isJson: true },
  ],
  ['usage -', { logs: ['-'], field: undefined, by: 'operation', isJson: false }],
])('reads `portico %s`', (line, expected) => {
  const request = invocationFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['usage', 'usage requires a log: a file, or - for standard input'],
  [
    'usage a.log --by city --field city',
    '--by requires key, client or operation',
    '--field requires a field of the schema, such as Site.city',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
