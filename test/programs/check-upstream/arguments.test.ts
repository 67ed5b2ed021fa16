import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';

it.each<[string, ...string[]]>([
  ['check-upstream x', 'check-upstream takes no arguments'],
  [
    'check-upstream --site 1001 --conversation 1',
    '--site requires a site id',
    '--conversation requires a UUID',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});

it('takes a UUID in any case', () => {
  const id = '5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00';
  expect(invocationFrom(['check-upstream', '--conversation', id], commands)).toMatchObject({ name: 'run' });
});
