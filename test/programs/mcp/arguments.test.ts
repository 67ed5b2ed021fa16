import { expect, it } from 'vitest';
import { requestFrom } from '../../../src/command/arguments.ts';
import { commands } from '../../../src/features.ts';
import { argumentsFrom } from '../../../src/programs/mcp/arguments.ts';

it.each<[string, object]>([
  [
    'mcp --gateway https://portico.example.com/graphql --documents a.json',
    {
      gateway: new URL('https://portico.example.com/graphql'),
      documents: 'a.json',
      port: undefined,
    },
  ],
  [
    'mcp --gateway=http://[::1]:4000/graphql --documents=a.json --port 0',
    { gateway: new URL('http://[::1]:4000/graphql'), documents: 'a.json', port: 0 },
  ],
])('reads `portico %s`', (line, expected) => {
  const request = requestFrom(line.split(' '), commands);
  expect(request.name === 'run' && argumentsFrom(request.given)).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['mcp', 'mcp requires --gateway', 'mcp requires --documents'],
  [
    'mcp a.json --gateway http://portico.example.com/graphql --documents= --port 65536',
    '--gateway requires an https: URL without credentials, or an http: URL of this machine',
    '--documents requires a file',
    '--port requires a port: 0 to 65535',
    'mcp takes no arguments',
  ],
  [
    'mcp --gateway https://key@portico.example.com/graphql --documents a.json',
    '--gateway requires an https: URL without credentials, or an http: URL of this machine',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(requestFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});
