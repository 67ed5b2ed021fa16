import { expect, it } from 'vitest';
import { invocationFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';

it.each<[string, ...string[]]>([
  ['mcp', 'mcp requires --gateway', 'mcp requires --documents'],
  [
    'mcp a.json --gateway http://portico.example.com/graphql --documents=',
    '--gateway requires an https: URL without credentials, or an http: URL of this machine',
    '--documents requires a file',
    'mcp takes no arguments',
  ],
  [
    'mcp --gateway https://key@portico.example.com/graphql --documents a.json',
    '--gateway requires an https: URL without credentials, or an http: URL of this machine',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});

it.each(['https://portico.example.com/graphql', 'http://[::1]:4000/graphql'])(
  'accepts --gateway %s',
  (url) => {
    const given = invocationFrom(['mcp', '--gateway', url, '--documents', 'a.json'], commands);
    expect(given).toMatchObject({ name: 'run' });
  },
);
