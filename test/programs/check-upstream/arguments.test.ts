import { expect, it } from 'vitest';
import { requestFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/check-upstream/arguments.ts';

it.each<[string, object]>([
  [
    'check-upstream --site SITE-1 --conversation 5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00 --json',
    { ids: { site: 'SITE-1', conversation: '5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00' }, isJson: true },
  ],
  ['check-upstream', { ids: { site: '', conversation: '' }, isJson: false }],
])('reads `portico %s`', (line, expected) => {
  const request = requestFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['check-upstream x', 'check-upstream takes no arguments'],
  [
    'check-upstream --site 1001 --conversation 1',
    '--site requires a site id',
    '--conversation requires a UUID',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(requestFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
